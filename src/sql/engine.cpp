// SPDX-License-Identifier: Apache-2.0
#include "sql/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/codes.hpp"
#include "sql/every_table.hpp"
#include "sql/sqlite/deadline.hpp"
#include "sql/sqlite/dialect.hpp"
#include "sql/sqlite/guard.hpp"
#include "sql/sqlite/module.hpp"
#include "sql/sqlite/scalars.hpp"
#include "sql/tables/tables.hpp"

namespace polytrace::sql {
namespace {

using base::Code;
using base::Error;
using base::Unexpected;
struct View {
  const char* name;
  std::string_view meaning;
  const char* query;
};
constexpr View kViews[]{
#define VIEW(name, meaning, query) {#name, meaning, query},
#include "sql/model/views.def"
#undef VIEW
};

constexpr const char* kTablesOfSqlite[]{"json_each",         "json_tree",
                                        "pragma_table_info", "pragma_table_xinfo",
                                        "pragma_table_list", "pragma_function_list"};

// "INTEGER ns" in its parts.
AnswerColumn column_of(sqlite3_stmt* statement, int i) {
  const char* const name = sqlite3_column_name(statement, i);
  const char* const declared = sqlite3_column_decltype(statement, i);
  AnswerColumn column;
  column.name = name == nullptr ? "" : name;
  std::string_view words = declared == nullptr ? "" : declared;
  for (const std::string_view type : {"INTEGER", "REAL", "TEXT"}) {
    if (!words.starts_with(type)) continue;
    column.type = type;
    words.remove_prefix(type.size());
    if (words.starts_with(' ')) column.unit = words.substr(1);
    break;
  }
  return column;
}

// A parameter is a number where it looks like one.
int bind(sqlite3_stmt* statement, int place, const std::string& value) {
  char* end = nullptr;
  const long long number = std::strtoll(value.c_str(), &end, 10);
  const bool fits = number != LLONG_MAX && number != LLONG_MIN;
  if (!value.empty() && *end == '\0' && fits) return sqlite3_bind_int64(statement, place, number);
  const double real = std::strtod(value.c_str(), &end);
  const bool is_real =
      !value.empty() && *end == '\0' && value.find_first_not_of("0123456789+-.eE") == value.npos;
  if (is_real) return sqlite3_bind_double(statement, place, real);
  return sqlite3_bind_text64(statement, place, value.data(), value.size(), SQLITE_TRANSIENT,
                             SQLITE_UTF8);
}

int bind_value(sqlite3_stmt* statement, int place, const Value& value) {
  switch (value.type) {
    case Type::null: return sqlite3_bind_null(statement, place);
    case Type::integer: return sqlite3_bind_int64(statement, place, value.integer);
    case Type::real: return sqlite3_bind_double(statement, place, value.real);
    case Type::text: break;
  }
  return sqlite3_bind_text64(statement, place, value.text.data(), value.text.size(),
                             SQLITE_TRANSIENT, SQLITE_UTF8);
}

base::Place place_in(std::string_view sql, int offset) {
  base::Place place;
  if (offset < 0) return place;
  const std::string_view before = sql.substr(0, static_cast<std::size_t>(offset));
  place.line = static_cast<std::uint32_t>(std::ranges::count(before, '\n')) + 1;
  place.column = static_cast<std::uint32_t>(before.size() - (before.rfind('\n') + 1)) + 1;
  return place;
}

}  // namespace

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
  friend class Query::Inside;

 public:
  Inside(std::vector<TracePointer> traces, const Limits& limits)
      : traces_(std::move(traces)),
        limits_(limits),
        guard_(asked_, limits.memory, limits.read_only) {}
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { sqlite3_close_v2(database_); }

  base::result<void> open();
  base::result<Ran> run(const Question& question, Answers& answers);
  base::result<std::unique_ptr<Query::Inside>> prepare(std::string_view sql, std::size_t& used,
                                                       const Limits& limits);
  base::result<Turn> turn(Query::Inside& query, Answers& answers, const std::atomic<bool>* stop);
  const std::vector<FunctionInfo>& scalars() const { return scalars_; }

 private:
  int add_all();
  int add_views();
  int connect_all();
  int add_trace(const TracePointer& trace, const std::string& prefix);
  base::result<void> run_one(std::string_view sql, std::size_t& used, const Question& question,
                             Answers& answers);
  base::result<void> compile(const std::string& sql, Statement& statement, std::size_t& used,
                             const Deadline& deadline);
  base::result<void> bind_all(sqlite3_stmt* statement, const Question& question) const;
  base::result<void> give_rows(sqlite3_stmt* statement, Answers& answers);
  void begin_turn(const Limits& limits);
  Error fault_of(int result, const Deadline& deadline, std::string_view sql) const;

  std::vector<TracePointer> traces_;
  Limits limits_;
  std::chrono::milliseconds time_{};  // of what is asked now
  int running_ = 0;                   // queries that have begun
  Asked asked_;
  Guard guard_;
  EveryTable tables_{};
  std::vector<std::string> names_{};
  std::vector<FunctionInfo> scalars_{};
  sqlite3* database_ = nullptr;
};

int Database::Inside::add_trace(const TracePointer& trace, const std::string& prefix) {
  for (std::unique_ptr<Table>& table : every_table(trace)) {
    names_.push_back(prefix + std::string(table->info().name));
    const int done = add_table(database_, names_.back(), *table, asked_);
    tables_.push_back(std::move(table));
    if (done != SQLITE_OK) return done;
  }
  return add_trace_scalars(database_, *trace, prefix, scalars_);
}

int Database::Inside::add_all() {
  int done = add_scalars(database_, asked_, scalars_);
  if (done == SQLITE_OK) done = add_aggregates(database_, scalars_);
  if (done == SQLITE_OK) done = add_trace(traces_.front(), {});
  for (std::size_t i = 0; i < traces_.size() && traces_.size() > 1 && done == SQLITE_OK; ++i)
    done = add_trace(traces_[i], fmt::format("t{}_", i + 1));
  if (done == SQLITE_OK) done = add_views();
  return done == SQLITE_OK ? connect_all() : done;
}

// A virtual table declares itself when it is first named: later the guard would refuse that.
int Database::Inside::connect_all() {
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

int Database::Inside::add_views() {
  for (const View& view : kViews) {
    names_.emplace_back(view.name);
    const std::string made = fmt::format("CREATE VIEW {} AS {}", view.name, view.query);
    const int done = sqlite3_exec(database_, made.c_str(), nullptr, nullptr, nullptr);
    if (done != SQLITE_OK) return done;
  }
  return SQLITE_OK;
}

base::result<void> Database::Inside::open() {
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

Error Database::Inside::fault_of(int result, const Deadline& deadline, std::string_view sql) const {
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

base::result<void> Database::Inside::bind_all(sqlite3_stmt* statement,
                                              const Question& question) const {
  for (int i = 1; i <= sqlite3_bind_parameter_count(statement); ++i) {
    const char* const name = sqlite3_bind_parameter_name(statement, i);
    const std::string_view wanted = name == nullptr ? "?" : std::string_view(name).substr(1);
    const auto found = std::ranges::find(question.parameters, wanted, &Parameter::name);
    if (found == question.parameters.end())
      return base::fail(base::Code::query_wrong,
                        fmt::format("no value for the parameter {}", name == nullptr ? "?" : name));
    bind(statement, i, found->value);
  }
  return {};
}

base::result<void> Database::Inside::give_rows(sqlite3_stmt* statement, Answers& answers) {
  const int count = sqlite3_column_count(statement);
  std::vector<AnswerColumn> columns;
  for (int i = 0; i < count; ++i) columns.push_back(column_of(statement, i));
  if (count > 0)
    if (auto begun = answers.begin(columns); !begun) return begun;
  std::vector<Value> cells(static_cast<std::size_t>(count));
  int result = SQLITE_OK;
  while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
    for (int i = 0; i < count; ++i)
      cells[static_cast<std::size_t>(i)] = value_of(sqlite3_column_value(statement, i));
    if (!answers.row(cells)) return {};
  }
  if (result == SQLITE_DONE) return {};
  return base::fail(base::Code::query_wrong, fmt::format("{}", result));
}

base::result<void> Database::Inside::compile(const std::string& sql, Statement& statement,
                                             std::size_t& used, const Deadline& deadline) {
  const char* rest = nullptr;
  const int result = sqlite3_prepare_v2(database_, sql.c_str(), static_cast<int>(sql.size()),
                                        statement.place(), &rest);
  if (result != SQLITE_OK) return Unexpected(fault_of(result, deadline, sql));
  used = static_cast<std::size_t>(rest - sql.c_str());
  if (used == 0 && !sql.empty()) return base::fail(base::Code::query_wrong, "a zero byte is in it");
  return {};
}

base::result<void> Database::Inside::run_one(std::string_view sql, std::size_t& used,
                                             const Question& question, Answers& answers) {
  const Deadline deadline(limits_.time, question.stop, asked_.stop, database_);
  asked_.refused.clear();
  const std::string own = in_our_dialect(sql);
  Statement statement;
  if (auto compiled = compile(own, statement, used, deadline); !compiled) return compiled;
  if (statement.get() == nullptr) return {};
  if (auto bound = bind_all(statement.get(), question); !bound) return bound;
  auto given = give_rows(statement.get(), answers);
  if (given) return given;
  const int result = sqlite3_errcode(database_);
  if (deadline.was_wanted()) return {};
  if (result == SQLITE_OK || result == SQLITE_ROW || result == SQLITE_DONE) return given;
  return Unexpected(fault_of(result, deadline, own));
}

void Database::Inside::begin_turn(const Limits& limits) {
  asked_.begin();
  guard_.begin();
  guard_.set(limits.memory, limits.read_only);
  time_ = limits.time;
}

base::result<std::unique_ptr<Query::Inside>> Database::Inside::prepare(std::string_view sql,
                                                                       std::size_t& used,
                                                                       const Limits& limits) {
  begin_turn(limits);
  const Deadline deadline(limits.time, nullptr, asked_.stop, nullptr);
  auto query =
      std::unique_ptr<Query::Inside>(new Query::Inside{*this, limits, in_our_dialect(sql)});
  auto compiled = compile(query->sql, query->statement, used, deadline);
  if (!compiled) return Unexpected(compiled.error());
  sqlite3_stmt* const statement = query->statement.get();
  if (statement == nullptr) return nullptr;
  for (int i = 0; i < sqlite3_column_count(statement); ++i)
    query->columns.push_back(column_of(statement, i));
  query->bound.resize(static_cast<std::size_t>(sqlite3_bind_parameter_count(statement)));
  return query;
}

base::result<Turn> Database::Inside::turn(Query::Inside& query, Answers& answers,
                                          const std::atomic<bool>* stop) {
  begin_turn(query.limits);
  if (const std::string missing = query.unbound(); !missing.empty())
    return base::fail(Code::query_wrong, fmt::format("no value for the parameter {}", missing));
  query.begin();
  sqlite3_stmt* const statement = query.statement.get();
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(query.limits.time - query.spent);
  Deadline deadline(left, stop, asked_.stop, running_ == 1 ? database_ : nullptr);
  const auto began = std::chrono::steady_clock::now();
  std::vector<Value> cells(query.columns.size());
  int result = SQLITE_OK;
  while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      cells[i] = value_of(sqlite3_column_value(statement, static_cast<int>(i)));
    if (!answers.row(cells)) break;
  }
  query.spent += std::chrono::steady_clock::now() - began;
  deadline.end();
  const bool was_ended = deadline.is_over() || deadline.was_wanted();
  if (result == SQLITE_ROW && !was_ended) return Turn{};
  std::optional<Error> fault;
  if (result != SQLITE_DONE && !deadline.was_wanted())
    fault = fault_of(result, deadline, query.sql);
  query.rewind();
  if (fault) return Unexpected(std::move(*fault));
  return Turn{.done = true, .interrupted = result != SQLITE_DONE};
}

base::result<Ran> Database::Inside::run(const Question& question, Answers& answers) {
  begin_turn(limits_);
  std::string_view rest = question.sql;
  while (!rest.empty() && !asked_.stop) {
    std::size_t used = rest.size();
    if (auto done = run_one(rest, used, question, answers); !done) return Unexpected(done.error());
    rest.remove_prefix(std::min(used, rest.size()));
  }
  return Ran{.interrupted = asked_.stop, .rows_read = asked_.rows};
}

base::result<std::unique_ptr<Database>> Database::open(
    std::vector<std::shared_ptr<const Trace>> traces, const Limits& limits) {
  auto inside = std::make_unique<Inside>(std::move(traces), limits);
  if (auto opened = inside->open(); !opened) return Unexpected(opened.error());
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
  ++database.running_;
}

void Query::Inside::rewind() {
  sqlite3_reset(statement.get());
  if (running) --database.running_;
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

std::vector<Described> Database::tables() const {
  std::vector<Described> all;
  for (const TableInfo& table : all_tables())
    if (!table.is_function)
      all.push_back({std::string(table.name), {}, table.meaning, table.columns});
  for (const TableInfo* table : kind_event_infos())
    all.push_back({std::string(table->name), {}, table->meaning, table->columns});
  for (const View& view : kViews) all.push_back({view.name, {}, view.meaning, {}});
  return all;
}

std::vector<Described> Database::functions() const {
  std::vector<Described> all;
  for (const TableInfo& table : all_tables())
    if (table.is_function)
      all.push_back({std::string(table.name), {}, table.meaning, table.columns, true});
  for (const FunctionInfo& scalar : inside_->scalars())
    all.push_back({scalar.name, scalar.parameters, scalar.meaning, {}, true});
  return all;
}

bool is_complete(const std::string& sql) { return sqlite3_complete(sql.c_str()) != 0; }

void limit_memory(std::uint64_t bytes) {
  sqlite3_hard_heap_limit64(static_cast<sqlite3_int64>(std::min<std::uint64_t>(bytes, INT64_MAX)));
}

}  // namespace polytrace::sql
