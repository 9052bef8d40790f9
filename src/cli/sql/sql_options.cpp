// SPDX-License-Identifier: Apache-2.0
#include "cli/sql/sql_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "agent/common/options/options.hpp"
#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "cli/frame/signals.hpp"
#include "service/selection/times.hpp"
#include "service/words/numbers.hpp"
#include "sql/files/arrow_stream.hpp"

namespace polytrace::cli {
namespace {

constexpr std::uint64_t kManyRows = 10'000'000;  // that another engine reads faster

base::Unexpected wrong_use(std::string detail) {
  return base::fail(base::Code::usage, std::move(detail));
}

// A file until it has its name; without that it goes.
class PartFile {
 public:
  explicit PartFile(std::string path) : path_(std::move(path)) {}
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  ~PartFile() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove(path_, ignored);
  }
  const std::string& path() const { return path_; }
  bool rename_to(const std::string& name) const {
    std::error_code fault;
    std::filesystem::rename(path_, name, fault);
    return !fault;
  }

 private:
  std::string path_;
};

}  // namespace

void SqlOptions::add_to(OptionList& list) {
  const char* group = "Output";
  list.add("--format", format_, "The form of answers")
      .one_of(sql_form_words())
      .takes("FORM")
      .shows_default()
      .in(group);
  list.add("-o,--output", output_, "The file to write; - is standard output")
      .takes("FILE")
      .in(group);
  list.add("-f,--force", force_, "Replace an existing file").in(group);
  list.add("--limit", rows_,
           "Rows of an answer at most, 0 for all (default: 1000 of a table, else all)")
      .takes("ROWS")
      .in(group);
  list.add("--explain", explain_, "How the query would be answered, instead of its answer")
      .in(group);
  list.add("--time", time_, "On standard error, how long the answer took").in(group);
  group = "Query";
  list.add("--engine", engine_word_,
           "Who answers: sqlite, which is always there, or duckdb, faster over many rows, with its "
           "own dialect; auto is sqlite")
      .one_of(sql_engine_words())
      .takes("ENGINE")
      .shows_default()
      .in(group);
  list.add("--param", params_, "A value for :NAME in the query; may be given again")
      .takes("NAME=VALUE")
      .in(group);
  list.add("--timeout", timeout_, "The most time a query gets: 500ms, 60s")
      .takes("TIME")
      .shows_default()
      .in(group);
  list.add("--memory", memory_, "The most memory queries get: 256M, 4G")
      .takes("SIZE")
      .shows_default()
      .in(group);
  list.add("--read-only", read_only_, "No temporary tables or views either").in(group);
}

base::result<void> SqlOptions::parse(bool json) {
  if (json && format_ != "table" && format_ != "json")
    return wrong_use("--json and --format " + format_ + " exclude each other");
  form_ = json ? SqlForm::json : sql_form(format_);
  engine_ = sql_engine(engine_word_);
  if (!rows_.empty()) {
    limit_ = service::parse_number<std::uint64_t>(rows_);
    if (!limit_) return wrong_use("--limit is a number of rows, not \"" + rows_ + "\"");
  }
  if (auto done = parse_limits(); !done) return done;
  return parse_parameters();
}

base::result<void> SqlOptions::parse_limits() {
  const auto time = service::parse_shift(timeout_);
  if (!time || *time <= 0)
    return wrong_use("--timeout is a time: 500ms, 60s; not \"" + timeout_ + "\"");
  limits_.time = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::nanoseconds(*time));
  if (!agent::parse_size(memory_, limits_.memory))
    return wrong_use("--memory is a size: 256M, 4G; not \"" + memory_ + "\"");
  limits_.read_only = read_only_;
  return {};
}

base::result<void> SqlOptions::parse_parameters() {
  for (const std::string& param : params_) {
    const std::size_t sign = param.find('=');
    if (sign == param.npos || sign == 0)
      return wrong_use("--param is NAME=VALUE, not \"" + param + "\"");
    set_parameter(param.substr(0, sign), param.substr(sign + 1));
  }
  return {};
}

void SqlOptions::set_parameter(const std::string& name, const std::string& value) {
  const auto found = std::ranges::find(parameters_, name, &sql::Parameter::name);
  if (found == parameters_.end()) parameters_.push_back({name, value});
  else found->value = value;
}

std::uint64_t SqlOptions::limit() const {
  return limit_.value_or(form_ == SqlForm::table ? kRowsForPeople : 0);
}

void SqlOptions::tell_run(Session& session, const sql::Ran& ran, std::uint64_t rows,
                          std::chrono::steady_clock::duration took) const {
  if (time_)
    session.remark(
        fmt::format("{} in {}, of {} read", base::count_text(rows, "row", "rows"),
                    base::duration_text(std::int64_t{std::chrono::nanoseconds(took).count()}),
                    base::count_text(ran.rows_read)));
  if (engine_ == SqlEngine::automatic && ran.rows_read > kManyRows && sql::find_duckdb())
    session.remark(fmt::format("{} were read: --engine duckdb may be faster",
                               base::count_text(ran.rows_read, "row", "rows")));
}

int SqlOptions::ask(Session& session, std::string& text, const std::function<bool()>& drain,
                    SqlEngines& engines, const service::SqlTraces& traces,
                    const std::string& query) const {
  const auto engine = engines.engine(engine_);
  if (!engine) return session.fail(engine.error());
  const auto begin = std::chrono::steady_clock::now();
  SqlView view(text, traces, {form_, limit(), session.look(), drain});
  const std::string asked = explain_ ? std::string((*engine)->explain_words()) + query : query;
  const auto ran = (*engine)->run({asked, parameters_, &stop_asked()}, view);
  if (!ran) {
    // What was told before the fault stays; a document is not left open.
    if (form_ == SqlForm::json) text.clear();
    else view.end(false);
    return session.fail(ran.error());
  }
  view.end(ran->interrupted);
  tell_run(session, *ran, view.rows(), std::chrono::steady_clock::now() - begin);
  return 0;
}

base::result<std::unique_ptr<sql::TableWriter>> SqlOptions::writer(const std::string& path) const {
  if (form_ == SqlForm::parquet) {
    if (const auto found = sql::find_duckdb(); !found) return base::Unexpected(found.error());
    return sql::parquet_file(path);
  }
  auto sink = base::create_sink(path, force_);
  if (!sink) return base::Unexpected(sink.error());
  return sql::arrow_into(std::move(*sink));
}

base::result<sql::Ran> SqlOptions::write_answer(sql::Engine& engine, const std::string& query,
                                                sql::AnswerFile& to) const {
  auto ran = engine.run({query, parameters_, &stop_asked()}, to);
  if (!ran || ran->interrupted) return ran;
  if (auto ended = to.end(); !ended) return base::Unexpected(ended.error());
  return ran;
}

int SqlOptions::write(Session& session, SqlEngines& engines, const std::string& query) const {
  const std::string output = output_.empty() ? "-" : output_;
  const bool is_parquet = form_ == SqlForm::parquet;
  if (explain_) return session.fail_usage("--explain is for people: not as arrow or parquet");
  if (output == "-" && (is_parquet || isatty(STDOUT_FILENO) == 1))
    return session.fail_usage(fmt::format("--format {} needs -o FILE", format_));
  std::error_code unknown;
  if (is_parquet && std::filesystem::exists(output, unknown) &&
      !(force_ && std::filesystem::is_regular_file(output, unknown)))
    return session.fail({base::Code::output_exists, {}, {}}, output);
  const auto engine = engines.engine(engine_);
  if (!engine) return session.fail(engine.error());
  // DuckDB writes by name; a sink takes care of its own.
  const PartFile part(is_parquet ? fmt::format("{}.{}.part", output, getpid()) : std::string());
  auto made = writer(is_parquet ? part.path() : output);
  if (!made) return session.fail(made.error(), output);
  const auto begin = std::chrono::steady_clock::now();
  sql::AnswerFile file(std::move(*made), limit());
  const auto ran = write_answer(**engine, query, file);
  if (!ran) return session.fail(ran.error());
  if (ran->interrupted) return 0;
  if (is_parquet && !part.rename_to(output))
    return session.fail({base::Code::write_failed, {}, {}}, output);
  if (file.rows_left_out() != 0)
    session.remark(fmt::format("{} left out: --limit 0 writes all",
                               base::count_text(file.rows_left_out(), "row", "rows")));
  tell_run(session, *ran, file.rows(), std::chrono::steady_clock::now() - begin);
  return 0;
}

}  // namespace polytrace::cli
