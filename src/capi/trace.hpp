// SPDX-License-Identifier: Apache-2.0
// A trace as the C interface has it: its index, and one connection for its queries, which take
// turns. What is made of a trace holds it.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "capi/error.hpp"
#include "capi/stops.hpp"
#include "service/sql/sql_traces.hpp"

namespace polytrace::capi {

class OpenTrace {
 public:
  OpenTrace(service::InputOptions options, service::SqlTraces traces)
      : options_(std::move(options)), traces_(std::move(traces)) {}
  OpenTrace(const OpenTrace&) = delete;
  OpenTrace& operator=(const OpenTrace&) = delete;
  ~OpenTrace() = default;

  const service::InputOptions& options() const { return options_; }
  const service::Reading& reading() const { return traces_.readings.front(); }
  // Errors: usage, where there is nothing to read again.
  base::result<void> check_rereading() const;
  const sql::Trace& trace() const { return *traces_.traces.front(); }
  Stops& stops() { return stops_; }

  // Held by whoever uses the database or a query of it.
  std::mutex& turn() { return turn_; }
  // REQUIRES: the turn is held. Made when first asked for. Errors: as sql::Database::open().
  base::result<sql::Database*> database();
  // Once made it stays. Any thread.
  service::Asked<const std::string*> info();

 private:
  service::InputOptions options_;
  service::SqlTraces traces_;
  Stops stops_;
  std::mutex turn_;
  std::unique_ptr<sql::Database> database_{};
  std::mutex info_mutex_;  // guards info_
  std::optional<std::string> info_{};
};

// Why something of what was read is missing; PT_OK: nothing is.
pt_status tell_missing(const service::Reading& reading, pt_error** error);

}  // namespace polytrace::capi

struct pt_trace {
  std::shared_ptr<polytrace::capi::OpenTrace> open;
};
