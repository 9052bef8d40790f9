// SPDX-License-Identifier: Apache-2.0
#include "cli/report_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/figure_text.hpp"
#include "cli/notices_view.hpp"
#include "cli/report_brief.hpp"
#include "cli/show/escape.hpp"
#include "cli/show/separated.hpp"
#include "cli/show/shorten.hpp"

namespace polytrace::cli {
namespace {

using base::Time;
using show::TableForm;

bool has_from(const analysis::Selection& selection) {
  return selection.from != std::numeric_limits<Time>::min();
}
bool has_to(const analysis::Selection& selection) {
  return selection.to != std::numeric_limits<Time>::max();
}

std::string threads_text(const std::vector<base::Id>& ids) {
  if (ids.size() == 1) return fmt::format("thread {:#x} only", ids.front());
  return base::count_text(ids.size(), "thread", "threads") + " only";
}

// "from +1.50 s, only thread 0x7f..."; empty when everything counts.
std::string selection_text(const ReportResult& result, const show::Look& look) {
  const analysis::Selection& selection = result.selection;
  std::vector<std::string> parts;
  const auto time = [&](Time at) { return show::human_text(at, analysis::Unit::time, look); };
  // What is earlier than everything selects nothing.
  if (has_from(selection) && selection.from > result.start)
    parts.push_back("from " + time(selection.from));
  if (has_to(selection)) parts.push_back("to " + time(selection.to));
  if (!selection.threads.is_everyone()) parts.push_back(threads_text(selection.threads.ids()));
  if (!selection.name.empty())
    parts.push_back(fmt::format("names with \"{}\" only", show::printable(selection.name)));
  if (selection.pauses || selection.subtract_waits)
    parts.push_back(fmt::format("without the time of {}{}{}", selection.pauses ? "collections" : "",
                                selection.pauses && selection.subtract_waits ? " and " : "",
                                selection.subtract_waits ? "waits" : ""));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string title(const ReportResult& result) {
  return fmt::format("{}: {}, version {}", show::printable(result.input.name()),
                     result.opened.format->title, result.opened.reader->version());
}

void append_report_text(std::string& out, const ReportResult& result, const show::Look& look) {
  out += paint(look.terminal, show::Style::heading, title(result)) + '\n';
  if (const auto selected = selection_text(result, look); !selected.empty())
    out += "  selected: " + selected + '\n';
  append_partial_text(out, result.passed, look);
  bool narrow = false;
  for (const analysis::Table& table : result.tables) narrow |= append_text(out, table, look);
  if (narrow) {
    out += '\n';
    show::append_paragraph(
        out, "Columns that had no room are left out: --format md, csv or json has all.",
        look.terminal);
  }
  if (result.is_brief) append_next_steps(out, result.tables, result.input.name(), look);
  else append_empty_text(out, result.empty, look);
  append_notices_text(out, result.passed, look);
}

void append_report_markdown(std::string& out, const ReportResult& result, const show::Look& look) {
  out += fmt::format("# {}\n", show::markdown_text(title(result)));
  if (const auto selected = selection_text(result, look); !selected.empty())
    out += fmt::format("\nSelected: {}\n", show::markdown_text(selected));
  for (const analysis::Table& table : result.tables) show::append_markdown(out, table, look);
  if (!result.is_brief) append_empty_markdown(out, result.empty);
  append_notices_markdown(out, result.passed);
}

void append_report_separated(std::string& out, const ReportResult& result,
                             show::Separator separator) {
  const auto filled = std::ranges::count_if(
      result.tables, [](const analysis::Table& table) { return !table.rows.empty(); });
  for (const analysis::Table& table : result.tables) {
    if (table.rows.empty()) continue;
    if (!out.empty()) out += separator == show::Separator::comma ? "\r\n" : "\n";
    show::append_separated(out, table, separator, filled > 1);
  }
}

void write_selection(base::JsonWriter& json, const analysis::Selection& selection) {
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
  json.member("name", selection.name);
  json.member("show_helpers", selection.show_helpers);
  json.key("subtract");
  json.begin_array();
  if (selection.pauses) json.value("gc");
  if (selection.subtract_waits) json.value("waits");
  json.end_array();
  json.end_object();
}

void append_report_json(std::string& out, const ReportResult& result) {
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.report/1");
  write_source(json, result.input, *result.opened.format, result.opened.reader->version());
  write_selection(json, result.selection);
  json.key("start");
  result.start == base::kNoTime ? json.null() : json.value(result.start);
  json.key("tables");
  json.begin_array();
  for (const analysis::Table& table : result.tables) show::write_json(json, table);
  json.end_array();
  write_empty(json, result.empty);
  write_outcome(json, result.passed);
  json.end_object();
  out += '\n';
}

void append_report(std::string& out, const ReportResult& result, TableForm form, show::Look look) {
  look.start = result.start;
  switch (form) {
    case TableForm::text: return append_report_text(out, result, look);
    case TableForm::markdown: return append_report_markdown(out, result, look);
    case TableForm::json: return append_report_json(out, result);
    case TableForm::csv: return append_report_separated(out, result, show::Separator::comma);
    case TableForm::tsv: return append_report_separated(out, result, show::Separator::tab);
  }
}

}  // namespace

void ReportOutput::add_to(OptionList& list) {
  const char* group = "Output";
  list.add("--sort", sort, "Sort tables that have this column by it (its name as in CSV)")
      .takes("COLUMN")
      .in(group);
  list.add("--limit", limit, "Rows per table, 0 = all").takes("COUNT").shows_default().in(group);
  list.add("--format", format, "The form of the result; --json means --format json")
      .one_of({"text", "json", "csv", "md", "tsv"})
      .takes("FORM")
      .shows_default()
      .in(group);
}

TableForm ReportOutput::form(const Session& session) const {
  return session.common.json ? TableForm::json : *show::table_form(format);
}

int answer(Session& session, ReportResult result, TableForm form) {
  if (result.is_brief) result.tables = brief(std::move(result.tables));
  if (form != TableForm::text) session.out().expect_no_styles();
  append_report(session.out().text(), result, form, session.look());
  if (form == TableForm::csv || form == TableForm::tsv)
    tell_notices(session, result.input.name(), result.passed.notices);
  return conclude(session, result.input, result.passed);
}

}  // namespace polytrace::cli
