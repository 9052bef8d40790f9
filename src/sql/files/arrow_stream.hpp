// SPDX-License-Identifier: Apache-2.0
// Rows as a stream of Arrow's IPC format: batches of up to 65536 rows.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/io/sink.hpp"
#include "sql/files/arrow_messages.hpp"
#include "sql/files/table_writer.hpp"

namespace polytrace::sql {

class ArrowStream {
 public:
  ArrowStream(std::unique_ptr<base::Sink> sink, std::vector<ArrowField> fields);

  // Errors of all: those of the sink; query_wrong for a cell that does not fit its column.
  base::result<void> begin();
  base::result<void> row(std::span<const Value> cells);
  // All of it is on the medium.
  base::result<void> end();

 private:
  struct Gathered {
    std::vector<std::uint64_t> words{};  // numbers by their bits
    std::vector<std::int32_t> ends{};    // of texts
    std::string texts{};
    std::vector<std::uint8_t> valid{};  // bits
    std::int64_t nulls = 0;
  };
  base::result<void> put(std::string_view bytes);
  base::result<void> write_batch();
  void add(Gathered& to, Type type, const Value& cell) const;

  std::unique_ptr<base::Sink> sink_;
  std::vector<ArrowField> fields_;
  std::vector<Gathered> columns_;
  std::int64_t rows_ = 0;
  std::size_t texts_ = 0;  // bytes of this batch
  std::string text_{};
};

// For one table that goes there.
std::unique_ptr<TableWriter> arrow_into(std::unique_ptr<base::Sink> sink);

}  // namespace polytrace::sql
