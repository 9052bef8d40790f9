// SPDX-License-Identifier: Apache-2.0
#include "sql/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/codes.hpp"
#include "sql/every_table.hpp"
#include "sql/functions/functions.hpp"
#include "sql/model/dialect.hpp"
#include "sql/model/views.hpp"
#include "sql/sqlite/binding.hpp"
#include "sql/sqlite/connection.hpp"
#include "sql/tables/tables.hpp"

namespace polytrace::sql {

using base::Code;
using base::Error;
using base::Unexpected;

class Query::Inside {
 public:
  Database::Inside& database;
  Limits limits;
  std::string sql;
  Statement statement{};
  std::vector<AnswerColumn> columns{};
  std::vector<bool> bound{};
  bool running = false;
  std::chrono::nanoseconds spent{};  // of its time, by the turns since it began

  ~Inside() { rewind(); }
  // Which parameter has no value.
  std::string unbound() const;
  void begin();
  void rewind();
};

class Database::Inside {
 public:
  Inside(const std::vector<std::shared_ptr<const Trace>>& traces, const Limits& of)
      : connection(tables_of(traces), of), limits(of) {}

  base::result<Ran> run(const Question& question, Answers& answers);
  base::result<std::unique_ptr<Query::Inside>> prepare(std::string_view sql, std::size_t& used,
                                                       const Limits& of);
  base::result<Turn> turn(Query::Inside& query, Answers& answers, const std::atomic<bool>* stop);

  Connection connection;
  Limits limits;
  int running = 0;  // queries that have begun

 private:
  base::result<void> run_one(std::string_view sql, std::size_t& used, const Question& question,
                             Answers& answers);
  std::function<void()> interrupt() {
    return [this] { sqlite3_interrupt(connection.get()); };
  }
};

namespace {

base::result<void> give_rows(sqlite3_stmt* statement, Answers& answers) {
  const std::vector<AnswerColumn> columns = columns_of(statement);
  if (!columns.empty())
    if (auto begun = answers.begin(columns); !begun) return begun;
  std::vector<Value> cells(columns.size());
  int result = SQLITE_OK;
  while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
    read_row(statement, cells);
    if (!answers.row(cells)) return {};
  }
  if (result == SQLITE_DONE) return {};
  return base::fail(Code::query_wrong, fmt::format("{}", result));
}

}  // namespace

base::result<void> Database::Inside::run_one(std::string_view sql, std::size_t& used,
                                             const Question& question, Answers& answers) {
  const Deadline deadline(limits.time, question.stop, connection.asked().stop, interrupt());
  connection.asked().refused.clear();
  const std::string own = in_our_dialect(sql);
  Statement statement;
  if (auto compiled = connection.compile(own, statement, used, deadline); !compiled)
    return compiled;
  if (statement.get() == nullptr) return {};
  if (auto bound = bind_all(statement.get(), question.parameters); !bound) return bound;
  auto given = give_rows(statement.get(), answers);
  if (given) return given;
  const int result = sqlite3_errcode(connection.get());
  if (deadline.was_wanted()) return {};
  if (result == SQLITE_OK || result == SQLITE_ROW || result == SQLITE_DONE) return given;
  return Unexpected(connection.fault_of(result, deadline, own));
}

base::result<std::unique_ptr<Query::Inside>> Database::Inside::prepare(std::string_view sql,
                                                                       std::size_t& used,
                                                                       const Limits& of) {
  connection.begin(of);
  const Deadline deadline(of.time, nullptr, connection.asked().stop);
  auto query = std::unique_ptr<Query::Inside>(new Query::Inside{*this, of, in_our_dialect(sql)});
  auto compiled = connection.compile(query->sql, query->statement, used, deadline);
  if (!compiled) return Unexpected(compiled.error());
  sqlite3_stmt* const statement = query->statement.get();
  if (statement == nullptr) return nullptr;
  query->columns = columns_of(statement);
  query->bound.resize(static_cast<std::size_t>(sqlite3_bind_parameter_count(statement)));
  return query;
}

base::result<Turn> Database::Inside::turn(Query::Inside& query, Answers& answers,
                                          const std::atomic<bool>* stop) {
  connection.begin(query.limits);
  if (const std::string missing = query.unbound(); !missing.empty())
    return base::fail(Code::query_wrong, fmt::format("no value for the parameter {}", missing));
  query.begin();
  sqlite3_stmt* const statement = query.statement.get();
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(query.limits.time - query.spent);
  // To interrupt would end all statements that have begun.
  Deadline deadline(left, stop, connection.asked().stop,
                    running == 1 ? interrupt() : std::function<void()>());
  const auto began = std::chrono::steady_clock::now();
  std::vector<Value> cells(query.columns.size());
  int result = SQLITE_OK;
  while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
    read_row(statement, cells);
    if (!answers.row(cells)) break;
  }
  query.spent += std::chrono::steady_clock::now() - began;
  deadline.end();
  if (result == SQLITE_ROW && !deadline.is_ended()) return Turn{};
  std::optional<Error> fault;
  if (result != SQLITE_DONE && !deadline.was_wanted())
    fault = connection.fault_of(result, deadline, query.sql);
  query.rewind();
  if (fault) return Unexpected(std::move(*fault));
  return Turn{.done = true, .interrupted = result != SQLITE_DONE};
}

base::result<Ran> Database::Inside::run(const Question& question, Answers& answers) {
  connection.begin(limits);
  const Asked& asked = connection.asked();
  std::string_view rest = question.sql;
  while (!rest.empty() && !asked.stop) {
    std::size_t used = rest.size();
    if (auto done = run_one(rest, used, question, answers); !done) return Unexpected(done.error());
    rest.remove_prefix(std::min(used, rest.size()));
  }
  return Ran{.interrupted = asked.stop, .rows_read = asked.rows};
}

base::result<std::unique_ptr<Database>> Database::open(
    std::vector<std::shared_ptr<const Trace>> traces, const Limits& limits) {
  auto inside = std::make_unique<Inside>(traces, limits);
  if (auto opened = inside->connection.open(); !opened) return Unexpected(opened.error());
  return std::unique_ptr<Database>(new Database(std::move(inside)));
}

Database::Database(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Database::~Database() = default;

base::result<Ran> Database::run(const Question& question, Answers& answers) {
  return inside_->run(question, answers);
}

base::result<std::unique_ptr<Query>> Database::prepare(std::string_view sql, std::size_t& used,
                                                       const Limits& limits) {
  auto prepared = inside_->prepare(sql, used, limits);
  if (!prepared) return Unexpected(prepared.error());
  if (*prepared == nullptr) return nullptr;
  return std::unique_ptr<Query>(new Query(std::move(*prepared)));
}

std::string Query::Inside::unbound() const {
  const auto found = std::ranges::find(bound, false);
  if (found == bound.end()) return {};
  const int number = static_cast<int>(found - bound.begin()) + 1;
  const char* const name = sqlite3_bind_parameter_name(statement.get(), number);
  return name != nullptr ? name : fmt::format("?{}", number);
}

void Query::Inside::begin() {
  if (running) return;
  running = true;
  spent = {};
  ++database.running;
}

void Query::Inside::rewind() {
  sqlite3_reset(statement.get());
  if (running) --database.running;
  running = false;
}

Query::Query(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Query::~Query() = default;

const std::vector<AnswerColumn>& Query::columns() const { return inside_->columns; }

base::result<Turn> Query::turn(Answers& answers, const std::atomic<bool>* stop) {
  return inside_->database.turn(*inside_, answers, stop);
}

void Query::rewind() { inside_->rewind(); }

bool Query::bind(std::string_view parameter, const Value& value) {
  sqlite3_stmt* const statement = inside_->statement.get();
  bool any = false;
  for (int i = 1; i <= sqlite3_bind_parameter_count(statement); ++i) {
    const char* const name = sqlite3_bind_parameter_name(statement, i);
    const std::string_view whole = name == nullptr ? std::string_view() : name;
    const bool is_it = parameter == whole || (!whole.empty() && parameter == whole.substr(1)) ||
                       (whole.empty() && parameter == fmt::format("{}", i));
    if (!is_it || parameter.empty()) continue;
    bind_value(statement, i, value);
    inside_->bound[static_cast<std::size_t>(i) - 1] = true;
    any = true;
  }
  return any;
}

std::string_view Database::explain_words() const { return "EXPLAIN QUERY PLAN "; }

std::vector<Described> Database::tables() const {
  std::vector<Described> all;
  for (const TableInfo& table : all_tables())
    if (!table.is_function)
      all.push_back({std::string(table.name), {}, table.meaning, table.columns});
  for (const TableInfo* table : kind_event_infos())
    all.push_back({std::string(table->name), {}, table->meaning, table->columns});
  for (const View& view : kViews) all.push_back({std::string(view.name), {}, view.meaning, {}});
  return all;
}

std::vector<Described> Database::functions() const {
  std::vector<Described> all;
  for (const TableInfo& table : all_tables())
    if (table.is_function)
      all.push_back({std::string(table.name), {}, table.meaning, table.columns, true});
  for (const TableInfo* table : report_infos())
    all.push_back({std::string(table->name), {}, table->meaning, table->columns, true});
  for (const FunctionInfo& scalar : inside_->connection.scalars())
    all.push_back({scalar.name, scalar.parameters, scalar.meaning, {}, true});
  return all;
}

bool is_complete(const std::string& sql) { return sqlite3_complete(sql.c_str()) != 0; }

std::string call_text(const Described& function) {
  if (function.columns.empty()) return fmt::format("{}({})", function.name, function.parameters);
  std::string parameters;
  for (const Column& column : function.columns)
    if (column.use == Column::Use::parameter)
      parameters += fmt::format("{}{}", parameters.empty() ? "" : ", ", column.name);
  return fmt::format("{}({})", function.name, parameters);
}

void limit_memory(std::uint64_t bytes) {
  sqlite3_hard_heap_limit64(static_cast<sqlite3_int64>(std::min<std::uint64_t>(bytes, INT64_MAX)));
}

}  // namespace polytrace::sql
