// SPDX-License-Identifier: Apache-2.0
#include "sql/duck_engine.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>

#include "base/codes.hpp"
#include "sql/duckdb/duck_connection.hpp"
#include "sql/duckdb/statement_text.hpp"
#include "sql/duckdb/vectors.hpp"
#include "sql/every_table.hpp"
#include "sql/model/deadline.hpp"
#include "sql/model/dialect.hpp"

namespace polytrace::sql {

using base::Code;
using base::Unexpected;

namespace {

constexpr std::size_t kLongestSql = std::size_t{1} << 20;

// DuckDB's sentences begin with what kind of fault they are of.
struct FaultWord {
  std::string_view beginning;
  Code code;
};
constexpr FaultWord kFaultWords[]{{"Out of Memory Error", Code::limit_exceeded},
                                  {"Permission Error", Code::query_refused}};

// The first line says it, the others draw a picture of it.
std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

base::Error fault_of_words(std::string_view text) {
  const auto* const found = std::ranges::find_if(
      kFaultWords, [&](const FaultWord& word) { return text.starts_with(word.beginning); });
  const Code code = found == std::end(kFaultWords) ? Code::query_wrong : found->code;
  if (code == Code::limit_exceeded) return {code, {}, "memory of queries; --memory gives more"};
  return {code, {}, first_line(text)};
}

// Of this process, in bytes; 0: not told.
std::uint64_t data_used() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    std::uint64_t kib = 0;
    if (word == "VmData:" && status >> kib) return kib * 1024;
  }
  return 0;
}

}  // namespace

class DuckDatabase::Inside {
 public:
  Inside(const DuckApi& api, const std::vector<std::shared_ptr<const Trace>>& traces,
         const Limits& limits)
      : traces_(tables_of(traces)), limits_(limits), connection_(api) {}

  base::result<void> open() {
    if (auto opened = connection_.open(limits_.memory); !opened) return opened;
    if (auto added = connection_.add(traces_); !added) return added;
    return connection_.lock();
  }
  base::result<Ran> run(const Question& question, Answers& answers);

 private:
  base::result<void> run_one(std::string_view statement, const Question& question,
                             Answers& answers);
  base::result<bool> prepare(const std::string& sql, OwnedPrepared& prepared);
  base::result<void> bind(DuckPrepared prepared, std::span<const Parameter> parameters);
  base::result<void> give(OwnedResult& result, Answers& answers);
  base::result<std::vector<AnswerColumn>> columns_of(OwnedResult& result) const;
  base::Error fault_of(const Deadline& deadline, const base::Error& told);

  std::vector<TraceTables> traces_;
  Limits limits_;
  DuckConnection connection_;
};

base::Error DuckDatabase::Inside::fault_of(const Deadline& deadline, const base::Error& told) {
  if (deadline.is_over())
    return {Code::query_timeout, {}, fmt::format("stopped after {} ms", limits_.time.count())};
  return connection_.shared().fault().value_or(told);
}

// False: there is nothing but blanks and comments.
base::result<bool> DuckDatabase::Inside::prepare(const std::string& sql, OwnedPrepared& prepared) {
  const DuckApi& api = connection_.api();
  OwnedTexts texts(api);
  const std::uint64_t count =
      api.extract_statements(connection_.link(), sql.c_str(), texts.place());
  const char* const fault = count == 0 ? api.extract_statements_error(texts.get()) : nullptr;
  if (fault != nullptr) return Unexpected(fault_of_words(fault));
  if (count == 0) return false;
  if (count > 1) return base::fail(Code::query_refused, "a statement that is several for DuckDB");
  const DuckState state =
      api.prepare_extracted_statement(connection_.link(), texts.get(), 0, prepared.place());
  if (state == DuckState::good) return true;
  const char* const why = api.prepare_error(prepared.get());
  return Unexpected(fault_of_words(why == nullptr ? "" : why));
}

base::result<void> DuckDatabase::Inside::bind(DuckPrepared prepared,
                                              std::span<const Parameter> parameters) {
  const DuckApi& api = connection_.api();
  for (std::uint64_t i = 1; i <= api.nparams(prepared); ++i) {
    const char* const told = api.parameter_name(prepared, i);
    const std::string name = told == nullptr ? "" : told;
    api.free(const_cast<char*>(told));
    const auto found = std::ranges::find(parameters, name, &Parameter::name);
    if (found == parameters.end())
      return base::fail(Code::query_wrong, fmt::format("no value for the parameter {}", name));
    const Value value = parameter_value(found->value);
    switch (value.type) {
      case Type::integer: api.bind_int64(prepared, i, value.integer); break;
      case Type::real: api.bind_double(prepared, i, value.real); break;
      default: api.bind_varchar_length(prepared, i, value.text.data(), value.text.size());
    }
  }
  return {};
}

base::result<std::vector<AnswerColumn>> DuckDatabase::Inside::columns_of(
    OwnedResult& result) const {
  const DuckApi& api = connection_.api();
  std::vector<AnswerColumn> columns;
  for (std::uint64_t i = 0; i < api.column_count(result.get()); ++i) {
    const OwnedType logical(api, api.column_logical_type(result.get(), i));
    const DuckType type = api.get_type_id(logical.get());
    const char* const name = api.column_name(result.get(), i);
    columns.push_back({.name = name == nullptr ? "" : name, .type = DuckRead::type_word(type)});
    if (!DuckRead::can_read(type))
      return base::fail(Code::query_wrong,
                        fmt::format("column \"{}\" is neither a number nor a text: CAST({} AS "
                                    "VARCHAR) makes one",
                                    columns.back().name, columns.back().name));
  }
  return columns;
}

base::result<void> DuckDatabase::Inside::give(OwnedResult& result, Answers& answers) {
  const DuckApi& api = connection_.api();
  const auto columns = columns_of(result);
  if (!columns) return Unexpected(columns.error());
  if (auto begun = answers.begin(*columns); !begun) return begun;
  std::vector<Value> cells(columns->size());
  for (;;) {
    const OwnedChunk chunk(api, api.fetch_chunk(*result.get()));
    if (chunk.get() == nullptr) break;
    std::vector<DuckRead> reads;
    for (std::size_t i = 0; i < cells.size(); ++i)
      reads.emplace_back(api, api.data_chunk_get_vector(chunk.get(), i));
    const std::uint64_t rows = api.data_chunk_get_size(chunk.get());
    if (rows == 0) break;
    for (std::uint64_t row = 0; row < rows; ++row) {
      for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = reads[i].value(row);
      if (!answers.row(cells)) return {};
    }
  }
  const std::string fault = result.error();
  return fault.empty() ? base::result<void>() : Unexpected(fault_of_words(fault));
}

base::result<void> DuckDatabase::Inside::run_one(std::string_view statement,
                                                 const Question& question, Answers& answers) {
  const DuckApi& api = connection_.api();
  DuckShared& shared = connection_.shared();
  const Deadline deadline(limits_.time, question.stop, shared.stop,
                          [&] { api.interrupt(connection_.link()); });
  const std::string sql = with_dollars(in_our_dialect(statement), question.parameters);
  OwnedPrepared prepared(api);
  OwnedResult result(api);
  const auto done = [&]() -> base::result<void> {
    const auto is_any = prepare(sql, prepared);
    if (!is_any) return Unexpected(is_any.error());
    if (!*is_any) return {};
    const DuckStatementType kind = api.prepared_statement_type(prepared.get());
    if (const std::string why = refused_by_kind(kind, sql, limits_.read_only); !why.empty())
      return base::fail(Code::query_refused, why);
    if (auto bound = bind(prepared.get(), question.parameters); !bound) return bound;
    if (api.execute_prepared_streaming(prepared.get(), result.get()) != DuckState::good)
      return Unexpected(fault_of_words(result.error()));
    const bool has_rows = kind == DuckStatementType::select || kind == DuckStatementType::explain;
    return has_rows ? give(result, answers) : base::result<void>();
  }();
  if (done || deadline.was_wanted()) return {};
  return Unexpected(fault_of(deadline, done.error()));
}

base::result<Ran> DuckDatabase::Inside::run(const Question& question, Answers& answers) {
  DuckShared& shared = connection_.shared();
  shared.begin();
  if (question.sql.size() > kLongestSql)
    return base::fail(Code::limit_exceeded, "the query is longer than 1 MiB");
  if (question.sql.find('\0') != question.sql.npos)
    return base::fail(Code::query_wrong, "a zero byte is in it");
  std::string_view rest = question.sql;
  while (!rest.empty() && !shared.stop) {
    std::size_t used = 0;
    const std::string_view statement = first_statement(rest, used);
    if (auto done = run_one(statement, question, answers); !done) return Unexpected(done.error());
    rest.remove_prefix(used);
  }
  return Ran{.interrupted = shared.stop, .rows_read = shared.rows};
}

base::result<std::unique_ptr<DuckDatabase>> DuckDatabase::open(
    const std::vector<std::shared_ptr<const Trace>>& traces, const Limits& limits) {
  const auto api = duck_api();
  if (!api) return Unexpected(api.error());
  auto inside = std::make_unique<Inside>(**api, traces, limits);
  if (auto opened = inside->open(); !opened) return Unexpected(opened.error());
  return std::unique_ptr<DuckDatabase>(new DuckDatabase(std::move(inside)));
}

DuckDatabase::DuckDatabase(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
DuckDatabase::~DuckDatabase() = default;

base::result<Ran> DuckDatabase::run(const Question& question, Answers& answers) {
  return inside_->run(question, answers);
}

std::string_view DuckDatabase::explain_words() const { return "EXPLAIN "; }

base::result<FoundDuck> find_duckdb() {
  const auto api = duck_api();
  if (!api) return Unexpected(api.error());
  return FoundDuck{(*api)->version, (*api)->file};
}

void limit_data(std::uint64_t bytes) {
  constexpr std::uint64_t kBeside = std::uint64_t{512} << 20;  // stacks of threads, caches
  const std::uint64_t used = data_used();
  rlimit limit{};
  if (used == 0 || getrlimit(RLIMIT_DATA, &limit) != 0) return;
  const std::uint64_t wanted = used + std::min(bytes, std::uint64_t{1} << 48) + kBeside;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, wanted);
  setrlimit(RLIMIT_DATA, &limit);
}

}  // namespace polytrace::sql
