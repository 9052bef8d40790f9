// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analysis/heap/growth.hpp"
#include "analysis/heap/study.hpp"
#include "exports/snapshots/heap_dump.hpp"
#include "service/ask/heap.hpp"

namespace polytrace::service {
namespace {

using analysis::HeapStudy;
using analysis::Table;

// The figures of a file by class at one snapshot.
struct HeapSide {
  std::size_t snapshot = 0;
  std::vector<analysis::NamedFigures> figures{};
  std::vector<std::string> notes{};
  base::Time start = base::kNoTime;
};

Asked<HeapSide> take_figures(const Reading& reading, const HeapStudy& study,
                             WantedSnapshot wanted) {
  const std::string& file = reading.origin.file;
  const std::optional<std::size_t> snapshot = wanted ? wanted : study.chosen();
  const analysis::HeapGraph* const graph = snapshot ? study.graph_of(*snapshot) : nullptr;
  if (graph == nullptr)
    return tl::unexpected(
        Refusal{exports::find_snapshot(study, wanted).error(), file, reading.passed});
  const auto dominators = analysis::Dominators::of(*graph);
  HeapSide side{*snapshot};
  side.start = study.names().first_time();
  side.figures =
      named_figures(study.snapshots()[side.snapshot], {*graph, dominators, study.names()});
  if (!dominators.roots_told())
    side.notes.push_back(
        fmt::format("Snapshot {} of {} has no roots: what nothing refers to was taken for one.",
                    side.snapshot, file));
  return side;
}

Reading read_study(const Input& input, const format::Opened& opened, HeapStudy& study) {
  Reading reading;
  reading.passed = pass(input, *opened.reader, study);
  reading.origin = origin_of(input, opened);
  study.finish();
  return reading;
}

struct ReadSide {
  Reading reading;
  HeapSide side;
};
Asked<ReadSide> read_side(const Input& input, WantedSnapshot wanted) {
  auto opened = input.open();
  if (!opened) return refuse(opened.error(), input.name());
  HeapStudy study(wanted, HeapStudy::Strength::soft, analysis::objects_of(*opened->format));
  Reading reading = read_study(input, *opened, study);
  auto side = take_figures(reading, study, wanted);
  if (!side) return tl::unexpected(side.error());
  return ReadSide{std::move(reading), std::move(*side)};
}

Table by_class(HeapSide& before, HeapSide& after, const analysis::TableOptions& options) {
  Table table = growth_table(analysis::growth_between(before.figures, after.figures), options);
  for (HeapSide* side : {&before, &after})
    std::ranges::move(side->notes, std::back_inserter(table.notes));
  return table;
}

constexpr std::string_view kTitle = "Growth by class from snapshot {} to {}";

InputOptions reading_of(const GrowthQuestion& question, const std::string& file) {
  InputOptions options = question.reading;
  options.file = file;
  return options;
}

Asked<TableAnswer> growth_within(const Input& input, const GrowthQuestion& question) {
  auto opened = input.open();
  if (!opened) return refuse(opened.error(), input.name());
  HeapStudy study(question.to, HeapStudy::Strength::soft, analysis::objects_of(*opened->format));
  study.compare_with(question.from.value_or(0));
  study.follow_sites();
  Reading reading = read_study(input, *opened, study);
  auto before = take_figures(reading, study, question.from);
  if (!before) return tl::unexpected(before.error());
  auto after = take_figures(reading, study, question.to);
  if (!after) return tl::unexpected(after.error());
  Table sites =
      study.sites()->growth(before->snapshot, after->snapshot, study.names(), question.table);
  TableAnswer answer;
  answer.reading = std::move(reading);
  answer.start = after->start;
  answer.tables.push_back(by_class(*before, *after, question.table));
  Table& classes = answer.tables.front();
  classes.title = fmt::format(kTitle, before->snapshot, after->snapshot);
  if (sites.rows.empty()) std::ranges::move(sites.notes, std::back_inserter(classes.notes));
  else answer.tables.push_back(std::move(sites));
  return answer;
}

Asked<TableAnswer> growth_between(const Input& before, const Input& after,
                                  const GrowthQuestion& question) {
  auto first = read_side(before, question.from);
  if (!first) return tl::unexpected(first.error());
  auto second = read_side(after, question.to);
  if (!second) return tl::unexpected(second.error());
  TableAnswer answer;
  answer.reading = std::move(second->reading);
  answer.start = second->side.start;
  answer.tables.push_back(by_class(first->side, second->side, question.table));
  answer.tables.front().title =
      fmt::format(kTitle, fmt::format("{} of {}", first->side.snapshot, before.name()),
                  fmt::format("{} of {}", second->side.snapshot, after.name()));
  answer.before = std::move(first->reading);
  return answer;
}

}  // namespace

Asked<TableAnswer> ask_growth(const GrowthQuestion& question, const Asking& asking) {
  const Input after(reading_of(question, question.after), asking);
  if (!question.before) return growth_within(after, question);
  const Input before(reading_of(question, *question.before), asking);
  return growth_between(before, after, question);
}

}  // namespace polytrace::service
