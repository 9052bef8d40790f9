// SPDX-License-Identifier: Apache-2.0
// SQL for who asks over HTTP: a connection for each question, that only reads, and few of them at
// once. Any thread.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "server/answers/ask.hpp"
#include "service/sql/sql_traces.hpp"

namespace polytrace::server {

// The trace of a request, for the tables of SQL.
service::SqlTraces sql_traces(const Ask& ask);

// One of the connections that may be open at once; all of them share one limit of memory.
class SqlSession {
 public:
  static constexpr unsigned kMostAtOnce = 4;

  // Null: there are as many as there may be.
  static std::unique_ptr<SqlSession> begin(const service::SqlTraces& traces,
                                           std::chrono::milliseconds time);
  SqlSession(const SqlSession&) = delete;
  SqlSession& operator=(const SqlSession&) = delete;
  ~SqlSession();

  // Errors: as sql::Database::open().
  base::result<sql::Database*> database();

 private:
  SqlSession(const service::SqlTraces& traces, std::chrono::milliseconds time)
      : traces_(traces), time_(time) {}

  const service::SqlTraces& traces_;
  std::chrono::milliseconds time_;
  std::unique_ptr<sql::Database> database_;
};

}  // namespace polytrace::server
