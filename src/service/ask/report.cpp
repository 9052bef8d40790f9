// SPDX-License-Identifier: Apache-2.0
#include "service/ask/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "base/codes.hpp"
#include "service/ask/calls_from_index.hpp"
#include "service/input/store_of.hpp"
#include "service/input/told.hpp"
#include "service/words/words.hpp"

namespace polytrace::service {
namespace {

base::result<std::vector<const analysis::Section*>> parse_sections(std::string_view list) {
  std::vector<const analysis::Section*> chosen;
  std::vector<std::string> known;
  for (const analysis::Section& section : analysis::sections()) known.emplace_back(section.key);
  for (const std::string_view word : listed(list)) {
    const analysis::Section* section = analysis::find_section(word);
    if (section == nullptr)
      return base::fail(base::Code::usage,
                        fmt::format("no section \"{}\"{} (there are {})", word,
                                    did_you_mean(word, known), fmt::join(known, ", ")));
    chosen.push_back(section);
  }
  return chosen;
}

// In any version. Of formats that are only read nothing is known: false.
bool lacks(const format::Format& format, std::span<const event::Kind> kinds) {
  if (format.holds == nullptr) return false;
  return std::ranges::none_of(kinds, [&](event::Kind kind) {
    return std::ranges::any_of(format.write_versions, [&](std::string_view version) {
      return format.holds(kind, version);
    });
  });
}

// "sample", "enter, leave or unwind"
std::string names_of(std::span<const event::Kind> kinds) {
  std::string out;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    out += fmt::format("{}{}",
                       i == 0                  ? ""
                       : i + 1 == kinds.size() ? " or "
                                               : ", ",
                       event::describe(kinds[i]).name);
  return out;
}

// The agent of .NET dumps the heap when it is told to, never at the end: docs/coreclr.md.
constexpr std::string_view kHeapAtEnd = "heapdump=end";
constexpr std::string_view kHeapByCommand = "; of .NET: --control, then control PID heap-dump";

// " (record --events +alloc)"; empty where no recorder takes it by a word.
std::string recorded_with(const analysis::Section& section) {
  std::string words;
  if (!section.events.empty()) words += fmt::format(" --events +{}", section.events);
  if (!section.option.empty()) words += fmt::format(" --option {}", section.option);
  if (section.option == kHeapAtEnd) words += kHeapByCommand;
  return words.empty() ? words : fmt::format(" (record{})", words);
}

EmptySection explain_one(const analysis::Report::Empty& empty, const format::Format& format) {
  const std::string events = names_of(empty.section->kinds);
  if (empty.had_events)
    return {
        empty.section, "not_selected",
        fmt::format("{} events are there, but none that is selected and says something", events)};
  if (lacks(format, empty.section->kinds))
    return {empty.section, "no_place",
            fmt::format("no {} events: the format has no place for them", events)};
  return {empty.section, "not_recorded",
          fmt::format("no {} events were recorded{}", events, recorded_with(*empty.section))};
}

std::vector<EmptySection> explain(const std::vector<analysis::Report::Empty>& sections,
                                  const format::Format& format) {
  std::vector<EmptySection> out;
  for (const auto& empty : sections) out.push_back(explain_one(empty, format));
  return out;
}

CutOff told_cut_off(const store::Store& store, const std::vector<base::Notice>& notices) {
  const auto overview = told_overview(store);
  return or_without_end(overview && *overview ? cut_off_of(**overview) : CutOff{}, notices);
}

// Where the sums of the index that it is read from have it all.
std::optional<TableAnswer> ask_index(const Input& input, const format::Opened& opened,
                                     const std::vector<const analysis::Section*>& sections,
                                     const slice::Selection& selection,
                                     const ReportQuestion& question) {
  const auto store = store_of(opened);
  if (store == nullptr || store->notes().error) return std::nullopt;
  auto calls = calls_from_index(
      *store, {sections, selection, question.table, question.durations, input.asking().stop});
  if (!calls || !*calls) return std::nullopt;
  TableAnswer answer;
  answer.reading.passed = told_pass(*store);
  answer.cut_off = told_cut_off(*store, answer.reading.passed.notices);
  answer.reading.origin = origin_of(input, opened);
  answer.selection = selection;
  answer.start = store->facts().totals.first;
  answer.tables = std::move((*calls)->tables);
  answer.empty = explain((*calls)->empty, *opened.format);
  return answer;
}

base::result<slice::Selection> select(Input& input, const ReportQuestion& question) {
  if (question.chosen) return *question.chosen;
  auto selection = make_selection(input, question.selection);
  if (!selection) return selection;
  selection->show_helpers = question.show_helpers;
  selection->method = question.method;
  selection->fold_recursion = question.fold_recursion;
  return selection;
}

}  // namespace

Asked<TableAnswer> ask_report(Input& input, const ReportQuestion& question) {
  const auto sections = parse_sections(question.sections);
  if (!sections) return refuse(sections.error());
  auto selection = select(input, question);
  if (!selection) return refuse(selection.error(), input.name());
  auto opened = input.open();
  if (!opened) return refuse(opened.error(), input.name());
  if (auto indexed = ask_index(input, *opened, *sections, *selection, question)) return *indexed;
  analysis::Report report(*sections, *selection, analysis::objects_of(*opened->format));
  TableAnswer answer;
  CutOffWatch watch(report);
  answer.reading.passed = pass(input, *opened->reader, watch);
  answer.cut_off = or_without_end(watch.found(), answer.reading.passed.notices);
  answer.reading.origin = origin_of(input, *opened);
  report.finish();
  answer.reading.passed.add_limits(report.limits());
  answer.selection = std::move(*selection);
  answer.start = report.names().first_time();
  answer.tables = report.tables(question.table);
  answer.empty = explain(report.empty_sections(answer.tables), *opened->format);
  return answer;
}

}  // namespace polytrace::service
