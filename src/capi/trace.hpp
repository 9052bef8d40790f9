// SPDX-License-Identifier: Apache-2.0
// A trace as the C interface has it: its index, and one connection for its queries, which take
// turns; or no index, and the file. What is made of a trace holds it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "capi/error.hpp"
#include "service/sql/sql_traces.hpp"

namespace polytrace::capi {

// What runs on a trace, to be ended from outside. Any thread.
class Stops {
 public:
  using Flag = std::shared_ptr<std::atomic<bool>>;

  // Set when what runs now is to end; whoever runs keeps it until its end.
  Flag begin() {
    const std::lock_guard lock(mutex_);
    std::erase_if(running_, [](const auto& flag) { return flag.expired(); });
    auto flag = std::make_shared<std::atomic<bool>>(false);
    running_.push_back(flag);
    return flag;
  }
  void stop_all() {
    const std::lock_guard lock(mutex_);
    for (const auto& running : running_)
      if (const Flag flag = running.lock()) *flag = true;
  }

 private:
  std::mutex mutex_;  // guards running_
  std::vector<std::weak_ptr<std::atomic<bool>>> running_{};
};

// A trace as it was when it was opened or refreshed. Queries hold the one that they were made of.
class Moment {
 public:
  explicit Moment(service::SqlTraces traces) : traces_(std::move(traces)) {}

  const service::Reading& reading() const { return traces_.readings.front(); }
  const sql::Trace& trace() const { return *traces_.traces.front(); }
  // REQUIRES: the trace's turn is held. Made when first asked for. Errors: as
  // sql::Database::open().
  base::result<sql::Database*> database();

 private:
  service::SqlTraces traces_;
  std::unique_ptr<sql::Database> database_{};
};

class OpenTrace {
 public:
  // `moment` is null: there is no index, events come as they are read.
  OpenTrace(service::InputOptions options, std::shared_ptr<Moment> moment);
  OpenTrace(const OpenTrace&) = delete;
  OpenTrace& operator=(const OpenTrace&) = delete;
  ~OpenTrace() = default;

  const service::InputOptions& options() const { return options_; }
  // Any thread. Errors: usage, where there is no index.
  base::result<std::shared_ptr<Moment>> moment() const;
  bool is_stream() const { return is_stream_; }
  // Errors: usage, where there is nothing to read again.
  base::result<void> check_rereading() const;
  // Before a stream of it begins. Errors: usage, where one has begun that cannot begin again.
  base::result<void> begin_stream();
  // Whether reading may have to wait for more.
  bool may_wait() const { return options_.follow || !is_regular_; }
  Stops& stops() { return stops_; }

  // Held by whoever uses the database or a query of it.
  std::mutex& turn() { return turn_; }
  // Once made it stays. Any thread. Null: it was stopped.
  service::Asked<const std::string*> info();
  // Whether there is a new moment now. Any thread. Nothing: it was stopped.
  service::Asked<std::optional<bool>> refresh();

 private:
  service::Asked<std::optional<bool>> open_anew(const std::atomic<bool>* stop);

  const service::InputOptions options_;
  const bool is_stream_;
  const bool is_regular_;  // a file that is read as often as one likes
  Stops stops_;
  std::mutex turn_;
  std::mutex refresh_mutex_;         // held by who refreshes
  mutable std::mutex moment_mutex_;  // guards what follows
  std::shared_ptr<Moment> moment_;
  bool has_streamed_ = false;
  std::mutex info_mutex_;  // guards infos_
  std::deque<std::string> infos_{};
  bool info_is_current_ = false;
};

// Why something of what was read is missing; nothing: all is there.
std::optional<base::Error> missing_of(const service::Reading& reading);
// The same as a status.
pt_status tell_missing(const service::Reading& reading, pt_error** error);
// What `options` of a caller that may know less of them say, the rest as they are in `all`.
template <class Options>
Options taken(const Options* options, Options all) {
  if (options != nullptr) std::memcpy(&all, options, std::min(options->size, sizeof all));
  return all;
}

}  // namespace polytrace::capi

struct pt_trace {
  std::shared_ptr<polytrace::capi::OpenTrace> open;
};
