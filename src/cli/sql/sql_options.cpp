// SPDX-License-Identifier: Apache-2.0
#include "cli/sql/sql_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "agent/common/options/options.hpp"
#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "cli/frame/signals.hpp"
#include "service/selection/times.hpp"
#include "service/words/numbers.hpp"

namespace polytrace::cli {
namespace {

base::Unexpected wrong_use(std::string detail) {
  return base::fail(base::Code::usage, std::move(detail));
}

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

int SqlOptions::ask(Session& session, std::string& text, const std::function<bool()>& drain,
                    sql::Database& database, const service::SqlTraces& traces,
                    const std::string& query) const {
  const auto begin = std::chrono::steady_clock::now();
  SqlView view(text, traces, {form_, limit(), session.look(), drain});
  const std::string asked = explain_ ? "EXPLAIN QUERY PLAN " + query : query;
  const auto ran = database.run({asked, parameters_, &stop_asked()}, view);
  if (!ran) {
    // What was told before the fault stays; a document is not left open.
    if (form_ == SqlForm::json) text.clear();
    else view.end(false);
    return session.fail(ran.error());
  }
  view.end(ran->interrupted);
  if (time_) {
    const auto took = std::chrono::steady_clock::now() - begin;
    session.remark(
        fmt::format("{} in {}, of {} read", base::count_text(view.rows(), "row", "rows"),
                    base::duration_text(std::int64_t{std::chrono::nanoseconds(took).count()}),
                    base::count_text(ran->rows_read)));
  }
  return 0;
}

}  // namespace polytrace::cli
