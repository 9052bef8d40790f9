// SPDX-License-Identifier: Apache-2.0
#include "cli/explain/report_view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/show/text_room.hpp"
#include "cli/show/text_table.hpp"
#include "slice/work_clock.hpp"

namespace polytrace::cli {
namespace {

using analysis::Table;
using base::Time;

void append_empty_text(std::string& out, const std::vector<service::EmptySection>& sections,
                       const Look& look) {
  if (sections.empty()) return;
  out += '\n' + paint(look.terminal, Style::heading, "Sections without data") + '\n';
  TextTable table{{{"Section"}, {"Why", false, Fit::sentence}}, {}};
  for (const service::EmptySection& one : sections)
    table.rows.push_back({std::string(one.section->key), one.text});
  append_text_table(out, table, look.terminal);
}

void append_empty_markdown(std::string& out, const std::vector<service::EmptySection>& sections) {
  if (sections.empty()) return;
  out += "\n## Sections without data\n\n";
  for (const service::EmptySection& one : sections)
    out += fmt::format("* {}: {}\n", one.section->key, one.text);
}

// What to ask next about a suspect. {}: the method or class it is about.
struct Next {
  std::string_view fault;
  std::string_view command;
};
constexpr std::array kNext = {
    Next{"hot method", "report --method {}"},
    Next{"lock convoy", "report --sections monitors"},
    Next{"exception storm", "report --sections exceptions"},
    Next{"leak", "report --sections survival,heap"},
    Next{"growing heap", "report --sections survival,heap"},
    Next{"full heap", "heap --path {}"},
};

std::string text_of(const analysis::Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr ? "" : *text;
}

std::string next_for(const std::vector<analysis::Cell>& suspect) {
  const auto* const found = std::ranges::find(kNext, text_of(suspect[0]), &Next::fault);
  if (found == kNext.end()) return {};
  return fmt::format(fmt::runtime(found->command), shell_quoted(text_of(suspect[1])));
}

void append_next_steps(std::string& out, const std::vector<Table>& tables, const std::string& file,
                       const Look& look) {
  std::vector<std::string> steps;
  for (const Table& table : tables) {
    if (table.key != "suspects") continue;
    for (const auto& row : table.rows)
      if (std::string step = next_for(row); !step.empty()) steps.push_back(std::move(step));
  }
  steps.emplace_back("report --all");
  out += '\n' + paint(look.terminal, Style::heading, "Next") + '\n';
  for (const std::string& step : steps)
    out += fmt::format("  {} {} {}\n", own_command(), step, as_operand(file));
}

std::string threads_text(const std::vector<base::Id>& ids) {
  if (ids.size() == 1) return fmt::format("thread {:#x} only", ids.front());
  return base::count_text(ids.size(), "thread", "threads") + " only";
}

// "from +1.50 s, only thread 0x7f..."; empty when everything counts.
std::string selection_text(const service::TableAnswer& answer, const Look& look) {
  const slice::Selection& selection = answer.selection;
  std::vector<std::string> parts;
  const auto time = [&](Time at) { return human_text(at, analysis::Unit::time, look); };
  // What is earlier than everything selects nothing.
  if (service::has_from(selection) && selection.from > answer.start)
    parts.push_back("from " + time(selection.from));
  if (service::has_to(selection)) parts.push_back("to " + time(selection.to));
  if (!selection.threads.is_everyone()) parts.push_back(threads_text(selection.threads.ids()));
  if (!selection.name.is_any())
    parts.push_back(fmt::format("names {} \"{}\" only",
                                selection.name.is_pattern() ? "that fit" : "with",
                                printable(selection.name.text())));
  if (auto text = analysis::subtracted_text(selection); !text.empty())
    parts.push_back(std::move(text));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// "Cut off at +1.50 s: its limit of 4 GiB is reached. What happened afterwards is missing."
std::string cut_off_text(const service::TableAnswer& answer, const Look& look) {
  if (!answer.cut_off || !answer.cut_off->is_cut()) return {};
  const Time time = answer.cut_off->at;
  const std::string at =
      time == base::kNoTime ? "" : " at " + human_text(time, analysis::Unit::time, look);
  return fmt::format("Cut off{}: {}. What happened afterwards is missing.", at,
                     printable(answer.cut_off->why));
}

std::string title_of(const service::Origin& origin) {
  return fmt::format("{}: {}, version {}", printable(origin.file), origin.format->title,
                     origin.version);
}

std::string title(const service::TableAnswer& answer) {
  const std::string own = title_of(answer.reading.origin);
  if (!answer.before) return own;
  return fmt::format("From {} to {}", title_of(answer.before->origin), own);
}

void append_report_text(std::string& out, const service::TableAnswer& answer, Detail detail,
                        const Look& look) {
  out += paint(look.terminal, Style::heading, title(answer)) + '\n';
  if (const auto cut = cut_off_text(answer, look); !cut.empty())
    out += paint(look.terminal, Style::error, cut) + '\n';
  if (const auto selected = selection_text(answer, look); !selected.empty())
    out += "  selected: " + selected + '\n';
  if (answer.before) append_partial_text(out, answer.before->passed, look);
  append_partial_text(out, answer.reading.passed, look);
  bool narrow = false;
  for (const analysis::Table& table : answer.tables) narrow |= append_text(out, table, look);
  if (narrow) {
    out += '\n';
    append_paragraph(out,
                     "Columns that had no room are left out: --format md, csv or json has all.",
                     look.terminal);
  }
  if (detail == Detail::brief)
    append_next_steps(out, answer.tables, answer.reading.origin.file, look);
  else append_empty_text(out, answer.empty, look);
  if (answer.before) append_notices_text(out, answer.before->passed, look);
  append_notices_text(out, answer.reading.passed, look);
}

void append_report_markdown(std::string& out, const service::TableAnswer& answer, Detail detail,
                            const Look& look) {
  out += fmt::format("# {}\n", markdown_text(title(answer)));
  if (const auto cut = cut_off_text(answer, look); !cut.empty())
    out += fmt::format("\n{}\n", markdown_text(cut));
  if (const auto selected = selection_text(answer, look); !selected.empty())
    out += fmt::format("\nSelected: {}\n", markdown_text(selected));
  for (const analysis::Table& table : answer.tables) append_markdown(out, table, look);
  if (detail == Detail::all) append_empty_markdown(out, answer.empty);
  if (answer.before) append_notices_markdown(out, answer.before->passed);
  append_notices_markdown(out, answer.reading.passed);
}

void append_report(Output& to, const service::TableAnswer& answer, Detail detail, TableForm form,
                   Look look) {
  look.start = answer.start;
  std::string& out = to.text();
  switch (form) {
    case TableForm::text: return append_report_text(out, answer, detail, look);
    case TableForm::markdown: return append_report_markdown(out, answer, detail, look);
    case TableForm::json: out += report_json(answer); return;
    case TableForm::json_lines:
    case TableForm::csv:
    case TableForm::tsv: return append_rows(out, answer.tables, form, [&] { return to.drain(); });
  }
}

}  // namespace

int tell_answer(Session& session, service::TableAnswer answer, const TableOutput& output,
                Detail detail) {
  const TableForm form = output.form(session);
  if (auto good = output.apply(answer.tables); !good) return session.fail(good.error());
  if (detail == Detail::brief) answer.tables = service::brief(std::move(answer.tables));
  if (output.goes_to_folder()) {
    if (auto done = output.write(session, answer.tables); !done) return session.fail(done.error());
  } else {
    if (form == TableForm::text) session.page();
    else session.out().expect_no_styles();
    append_report(session.out(), answer, detail, form, session.look());
  }
  const auto finish = [&](const service::Reading& reading) {
    if (is_of_rows(form)) tell_notices(session, reading);
    return conclude(session, reading);
  };
  const int before = answer.before ? finish(*answer.before) : 0;
  const int code = finish(answer.reading);
  if (before != 0 || code != 0) return before != 0 ? before : code;
  return answer.cut_off && answer.cut_off->by_limit
             ? base::describe(base::Code::limit_exceeded).exit
             : 0;
}

}  // namespace polytrace::cli
