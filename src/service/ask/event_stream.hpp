// SPDX-License-Identifier: Apache-2.0
// The events of a trace as they are read, without an index: the rows of SQL's table `event`, in the
// order of the source. Memory is that of one batch and of what names threads. One thread at a time.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "service/input/pass.hpp"
#include "slice/slicer.hpp"
#include "sql/model/catalogue.hpp"

namespace polytrace::service {

class EventStream {
 public:
  // What its rows are: TableId::Event, of which these columns are known as it is read.
  static const sql::TableInfo& info() { return sql::describe(sql::TableId::Event); }
  static constexpr std::array kColumns{sql::EventColumns::id,      sql::EventColumns::ts,
                                       sql::EventColumns::utid,    sql::EventColumns::kind,
                                       sql::EventColumns::subject, sql::EventColumns::detail};

  // Reads nothing yet. `stop` outlives it: once it is true, the end comes soon; that is how
  // following a growing file ends.
  EventStream(InputOptions options, const std::atomic<bool>* stop)
      : input_(std::move(options), {.stop = stop}) {}

  // Moves to the first, then to the next event; false: there is none. Errors: those of opening and
  // of the source.
  base::result<bool> next();
  // Whether next() has one without reading.
  bool has_next() const { return at_ + 1 < batch_.events.size(); }
  // Of the event that it is at, of kColumns; texts live until it moves.
  sql::Value value(int column) const;
  // How reading went, behind the last event.
  Reading reading() const;

 private:
  base::result<bool> read_batch();
  std::string_view detail() const;

  Input input_;
  std::unique_ptr<event::Reader> reader_{};
  Origin origin_{};
  event::Batch batch_{};
  slice::Slicer slicer_{};
  std::vector<std::uint32_t> threads_{};  // by event of the batch: index
  base::Notices notices_{};               // of batches
  std::size_t at_ = 0;
  std::uint64_t read_ = 0;  // events of batches before
  mutable std::string text_{};
  mutable std::string subject_{};
};

}  // namespace polytrace::service
