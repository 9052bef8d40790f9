// SPDX-License-Identifier: Apache-2.0
#include "sql/sqlite/connection.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "sql/model/views.hpp"
#include "sql/sqlite/module.hpp"

namespace polytrace::sql {
namespace {

using base::Code;

constexpr const char* kTablesOfSqlite[]{"json_each",         "json_tree",
                                        "pragma_table_info", "pragma_table_xinfo",
                                        "pragma_table_list", "pragma_function_list"};

base::Place place_in(std::string_view sql, int offset) {
  base::Place place;
  if (offset < 0) return place;
  const std::string_view before = sql.substr(0, static_cast<std::size_t>(offset));
  place.line = static_cast<std::uint32_t>(std::ranges::count(before, '\n')) + 1;
  place.column = static_cast<std::uint32_t>(before.size() - (before.rfind('\n') + 1)) + 1;
  return place;
}

}  // namespace

int Connection::add_trace(const TraceTables& trace) {
  for (const std::unique_ptr<Table>& table : trace.tables) {
    names_.push_back(trace.prefix + std::string(table->info().name));
    const int done = add_table(database_, names_.back(), *table, asked_);
    if (done != SQLITE_OK) return done;
  }
  return add_trace_scalars(database_, *trace.trace, trace.prefix, scalars_);
}

int Connection::add_all() {
  int done = add_scalars(database_, asked_, scalars_);
  if (done == SQLITE_OK) done = add_aggregates(database_, scalars_);
  for (const TraceTables& trace : traces_)
    if (done == SQLITE_OK) done = add_trace(trace);
  if (done == SQLITE_OK) done = add_views();
  return done == SQLITE_OK ? connect_all() : done;
}

// A virtual table declares itself when it is first named: later the guard would refuse that.
int Connection::connect_all() {
  std::vector<std::string> names = names_;
  names.insert(names.end(), std::begin(kTablesOfSqlite), std::end(kTablesOfSqlite));
  for (const std::string& name : names) {
    Statement statement;
    const std::string query = fmt::format("SELECT 1 FROM \"{}\"", name);
    const int done = sqlite3_prepare_v2(database_, query.c_str(), -1, statement.place(), nullptr);
    if (done != SQLITE_OK) return done;
  }
  return SQLITE_OK;
}

int Connection::add_views() {
  for (const View& view : kViews) {
    names_.emplace_back(view.name);
    const std::string made = fmt::format("CREATE VIEW {} AS {}", view.name, view.query);
    const int done = sqlite3_exec(database_, made.c_str(), nullptr, nullptr, nullptr);
    if (done != SQLITE_OK) return done;
  }
  return SQLITE_OK;
}

base::result<void> Connection::open() {
  constexpr int kFlags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
  int done = sqlite3_open_v2(":memory:", &database_, kFlags, nullptr);
  if (done == SQLITE_OK) {
    Guard::set_limits(database_);
    sqlite3_exec(database_, "PRAGMA temp_store = 2", nullptr, nullptr, nullptr);
    done = add_all();
  }
  if (done != SQLITE_OK) return base::fail(Code::limit_exceeded, sqlite3_errstr(done));
  std::vector<std::string> functions;
  for (const FunctionInfo& scalar : scalars_) functions.push_back(scalar.name);
  guard_.close(database_, names_, std::move(functions));
  return {};
}

base::Error Connection::fault_of(int result, const Deadline& deadline, std::string_view sql) const {
  if (guard_.is_out_of_memory() || (result & 0xff) == SQLITE_NOMEM)
    return {Code::limit_exceeded, {}, "memory of queries; --memory gives more"};
  if (deadline.is_over())
    return {base::Code::query_timeout, {}, fmt::format("stopped after {} ms", time_.count())};
  if (!asked_.refused.empty()) return {base::Code::query_refused, {}, asked_.refused};
  if (asked_.fault) return *asked_.fault;
  const std::string message = sqlite3_errmsg(database_);
  if ((result & 0xff) == SQLITE_TOOBIG)
    return {Code::limit_exceeded, {}, message + ": a text, a row or the query"};
  return {base::Code::query_wrong, place_in(sql, sqlite3_error_offset(database_)), message};
}

base::result<void> Connection::compile(const std::string& sql, Statement& statement,
                                       std::size_t& used, const Deadline& deadline) {
  const char* rest = nullptr;
  const int result = sqlite3_prepare_v2(database_, sql.c_str(), static_cast<int>(sql.size()),
                                        statement.place(), &rest);
  if (result != SQLITE_OK) return base::Unexpected(fault_of(result, deadline, sql));
  used = static_cast<std::size_t>(rest - sql.c_str());
  if (used == 0 && !sql.empty()) return base::fail(base::Code::query_wrong, "a zero byte is in it");
  return {};
}

void Connection::begin(const Limits& limits) {
  asked_.begin();
  guard_.begin();
  guard_.set(limits.memory, limits.read_only);
  time_ = limits.time;
}

}  // namespace polytrace::sql
