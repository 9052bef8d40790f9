// SPDX-License-Identifier: Apache-2.0
// A connection of SQLite over tables of traces, closed by the guard: what statements run on. One
// thread at a time.
#pragma once

#include <string>
#include <vector>

#include "sql/model/deadline.hpp"
#include "sql/model/question.hpp"
#include "sql/sqlite/guard.hpp"
#include "sql/sqlite/scalars.hpp"
#include "sql/trace/trace_tables.hpp"

namespace polytrace::sql {

class Connection {
 public:
  Connection(std::vector<TraceTables> traces, const Limits& limits)
      : traces_(std::move(traces)), guard_(asked_, limits.memory, limits.read_only) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { sqlite3_close_v2(database_); }

  // Errors: those of SQLite, which are none that a user can cause.
  base::result<void> open();
  // What is asked from now on has these limits.
  void begin(const Limits& limits);
  // The first statement of a text, of which it takes `used` bytes; none of blanks and comments.
  base::result<void> compile(const std::string& sql, Statement& statement, std::size_t& used,
                             const Deadline& deadline);
  // Why a statement did not end well: by SQLite's code, and what the guard, the tables and the
  // clock know of it.
  base::Error fault_of(int result, const Deadline& deadline, std::string_view sql) const;

  sqlite3* get() const { return database_; }
  Asked& asked() { return asked_; }
  const std::vector<FunctionInfo>& scalars() const { return scalars_; }

 private:
  int add_all();
  int add_views();
  int connect_all();
  int add_trace(const TraceTables& trace);

  std::vector<TraceTables> traces_;
  std::chrono::milliseconds time_{};  // of what is asked now
  Asked asked_;
  Guard guard_;
  std::vector<std::string> names_{};
  std::vector<FunctionInfo> scalars_{};
  sqlite3* database_ = nullptr;
};

}  // namespace polytrace::sql
