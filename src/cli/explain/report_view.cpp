// SPDX-License-Identifier: Apache-2.0
#include "cli/explain/report_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text/figure_text.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/explain/report_brief.hpp"
#include "cli/show/escape.hpp"
#include "cli/show/separated.hpp"
#include "cli/show/shorten.hpp"
#include "slice/work_clock.hpp"

namespace polytrace::cli {
namespace {

using base::Time;
using TableForm;

bool has_from(const slice::Selection& selection) {
  return selection.from != std::numeric_limits<Time>::min();
}
bool has_to(const slice::Selection& selection) {
  return selection.to != std::numeric_limits<Time>::max();
}

std::string threads_text(const std::vector<base::Id>& ids) {
  if (ids.size() == 1) return fmt::format("thread {:#x} only", ids.front());
  return base::count_text(ids.size(), "thread", "threads") + " only";
}

// "from +1.50 s, only thread 0x7f..."; empty when everything counts.
std::string selection_text(const ReportResult& result, const Look& look) {
  const slice::Selection& selection = result.selection;
  std::vector<std::string> parts;
  const auto time = [&](Time at) { return human_text(at, analysis::Unit::time, look); };
  // What is earlier than everything selects nothing.
  if (has_from(selection) && selection.from > result.start)
    parts.push_back("from " + time(selection.from));
  if (has_to(selection)) parts.push_back("to " + time(selection.to));
  if (!selection.threads.is_everyone()) parts.push_back(threads_text(selection.threads.ids()));
  if (!selection.name.is_any())
    parts.push_back(fmt::format("names {} \"{}\" only",
                                selection.name.is_pattern() ? "that fit" : "with",
                                printable(selection.name.text())));
  if (auto text = analysis::subtracted_text(selection); !text.empty())
    parts.push_back(std::move(text));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string title_of(const Input& input, const format::Opened& opened) {
  return fmt::format("{}: {}, version {}", printable(input.name()), opened.format->title,
                     opened.reader->version());
}

std::string title(const ReportResult& result) {
  const std::string own = title_of(result.input, result.opened);
  if (result.before == nullptr) return own;
  return fmt::format("From {} to {}", title_of(result.before->input, result.before->opened), own);
}

void append_report_text(std::string& out, const ReportResult& result, const Look& look) {
  out += paint(look.terminal, Style::heading, title(result)) + '\n';
  if (const auto selected = selection_text(result, look); !selected.empty())
    out += "  selected: " + selected + '\n';
  if (result.before != nullptr) append_partial_text(out, result.before->passed, look);
  append_partial_text(out, result.passed, look);
  bool narrow = false;
  for (const analysis::Table& table : result.tables) narrow |= append_text(out, table, look);
  if (narrow) {
    out += '\n';
    append_paragraph(
        out, "Columns that had no room are left out: --format md, csv or json has all.",
        look.terminal);
  }
  if (result.is_brief) append_next_steps(out, result.tables, result.input.name(), look);
  else append_empty_text(out, result.empty, look);
  if (result.before != nullptr) append_notices_text(out, result.before->passed, look);
  append_notices_text(out, result.passed, look);
}

void append_report_markdown(std::string& out, const ReportResult& result, const Look& look) {
  out += fmt::format("# {}\n", markdown_text(title(result)));
  if (const auto selected = selection_text(result, look); !selected.empty())
    out += fmt::format("\nSelected: {}\n", markdown_text(selected));
  for (const analysis::Table& table : result.tables) append_markdown(out, table, look);
  if (!result.is_brief) append_empty_markdown(out, result.empty);
  if (result.before != nullptr) append_notices_markdown(out, result.before->passed);
  append_notices_markdown(out, result.passed);
}

void write_selection(base::JsonWriter& json, const slice::Selection& selection) {
  json.key("selection");
  json.begin_object();
  json.key("from");
  has_from(selection) ? json.value(selection.from) : json.null();
  json.key("to");
  has_to(selection) ? json.value(selection.to) : json.null();
  json.key("threads");
  json.begin_array();
  for (const base::Id id : selection.threads.ids()) json.value(fmt::format("{:#x}", id));
  json.end_array();
  json.member("name", selection.name.text());
  json.member("regex", selection.name.is_pattern());
  json.member("show_helpers", selection.show_helpers);
  json.key("subtract");
  json.begin_array();
  if (selection.pauses) json.value("gc");
  if (selection.subtract_waits) json.value("waits");
  json.end_array();
  json.end_object();
}

void write_before(base::JsonWriter& json, const ReportSource& before) {
  json.key("before");
  json.begin_object();
  write_source(json, before.input, *before.opened.format, before.opened.reader->version());
  write_outcome(json, before.passed);
  json.end_object();
}

void append_report_json(std::string& out, const ReportResult& result) {
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.report/1");
  write_source(json, result.input, *result.opened.format, result.opened.reader->version());
  if (result.before != nullptr) write_before(json, *result.before);
  write_selection(json, result.selection);
  json.key("start");
  result.start == base::kNoTime ? json.null() : json.value(result.start);
  json.key("tables");
  json.begin_array();
  for (const analysis::Table& table : result.tables) write_json(json, table);
  json.end_array();
  write_empty(json, result.empty);
  write_outcome(json, result.passed);
  json.end_object();
  out += '\n';
}

void append_report(std::string& out, const ReportResult& result, TableForm form, Look look) {
  look.start = result.start;
  switch (form) {
    case TableForm::text: return append_report_text(out, result, look);
    case TableForm::markdown: return append_report_markdown(out, result, look);
    case TableForm::json: return append_report_json(out, result);
    case TableForm::json_lines:
    case TableForm::csv:
    case TableForm::tsv: return append_rows(out, result.tables, form);
  }
}

}  // namespace

int answer(Session& session, ReportResult result, const TableOutput& output) {
  const TableForm form = output.form(session);
  if (auto good = output.apply(result.tables); !good) return session.fail(good.error());
  if (result.is_brief) result.tables = brief(std::move(result.tables));
  if (output.goes_to_folder()) {
    if (auto done = output.write(session, result.tables); !done) return session.fail(done.error());
  } else {
    if (form == TableForm::text) session.page();
    else session.out().expect_no_styles();
    append_report(session.out().text(), result, form, session.look());
  }
  const auto finish = [&](const Input& input, const Passed& passed) {
    if (is_of_rows(form)) tell_notices(session, input.name(), passed.notices);
    return conclude(session, input, passed);
  };
  const int before =
      result.before == nullptr ? 0 : finish(result.before->input, result.before->passed);
  const int code = finish(result.input, result.passed);
  return before != 0 ? before : code;
}

}  // namespace polytrace::cli
