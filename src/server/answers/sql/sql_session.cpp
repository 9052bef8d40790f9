// SPDX-License-Identifier: Apache-2.0
#include "server/answers/sql/sql_session.hpp"

#include <mutex>

#include "service/sql/trace_states.hpp"

namespace polytrace::server {
namespace {

constexpr std::uint64_t kSqlMemory = std::uint64_t{1} << 30;
std::atomic<unsigned> g_sessions = 0;

}  // namespace

service::SqlTraces sql_traces(const Ask& ask) {
  const service::IndexedTrace& trace = ask.trace();
  const auto input = trace.input(&ask.stop);
  service::SqlTraces all;
  all.traces.push_back(std::make_shared<const sql::Trace>(
      input->options().index.held,
      sql::TraceFacts{.file = trace.file(),
                      .is_partial = trace.is_partial(),
                      .derived = std::make_shared<const service::TraceStates>(input->options())}));
  all.readings.push_back({});
  all.readings.back().origin.file = trace.file();
  return all;
}

std::unique_ptr<SqlSession> SqlSession::begin(const service::SqlTraces& traces,
                                              std::chrono::milliseconds time) {
  static std::once_flag once;
  std::call_once(once, [] { sql::limit_memory(kSqlMemory); });
  if (g_sessions.fetch_add(1) < kMostAtOnce)
    return std::unique_ptr<SqlSession>(new SqlSession(traces, time));
  --g_sessions;
  return nullptr;
}

SqlSession::~SqlSession() {
  database_.reset();
  --g_sessions;
}

base::result<sql::Database*> SqlSession::database() {
  auto opened =
      sql::Database::open(traces_.traces, {.time = time_, .memory = kSqlMemory, .read_only = true});
  if (!opened) return base::Unexpected(opened.error());
  database_ = std::move(*opened);
  return database_.get();
}

}  // namespace polytrace::server
