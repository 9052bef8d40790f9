// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/report.hpp"

#include <algorithm>

#include "analysis/calls/calltree.hpp"

namespace polytrace::analysis {

Report::Report(const std::vector<const Section*>& selected, const Selection& selection,
               HeapObjects objects)
    : selection_(selection) {
  std::vector<const Section*> shown = selected;
  if (shown.empty())
    for (const Section& section : sections()) shown.push_back(&section);
  std::vector<const Section*> unshown;
  const auto quotes = [](const Section* section) {
    return section->key == "summary" || section->key == "suspects";
  };
  if (std::ranges::any_of(shown, quotes)) {
    for (const Section& section : sections())
      if (section.quoting == Quoting::quoted && std::ranges::find(shown, &section) == shown.end())
        unshown.push_back(&section);
  }
  const auto tells_suspects = [](const Section* section) { return section->key == "suspects"; };
  Shared shared{selection_, nullptr, std::ranges::any_of(shown, tells_suspects), objects, &quoted_};
  for (const auto* list : {&shown, &unshown})
    for (const Section* section : *list)
      if (section->needs == SectionNeeds::call_tree && !shared.tree)
        shared.tree = std::make_shared<CallTree>(selection_);
  if (shared.tree) fed_.push_back(shared.tree.get());
  tree_ = shared.tree;
  for (const Section* section : shown) add(*section, shared, true);
  for (const Section* section : unshown) add(*section, shared, false);
  quote();
}

void Report::add(const Section& section, const Shared& shared, bool shown) {
  const auto same = [&](const Part& part) { return part.section == &section; };
  if (std::ranges::any_of(parts_, same)) return;
  parts_.push_back({&section, section.make(shared), shown});
  if (section.needs == SectionNeeds::sites)
    slicer_.follow_calls(tree_ ? Slicer::Follower::first_walk : Slicer::Follower::slicer);
  Analysis* analysis = parts_.back().analysis.get();
  if (std::ranges::find(fed_, analysis) == fed_.end()) fed_.push_back(analysis);
}

// In the order of the sections, not of those that are shown.
void Report::quote() {
  for (const Section& section : sections())
    for (const Part& part : parts_)
      if (part.section == &section && section.quoting == Quoting::quoted)
        quoted_.push_back({section.title, part.analysis.get()});
}

bool Report::consume(const event::Batch& batch) {
  slicer_.slice(batch, [&](const Slice& slice) {
    see(slice);
    for (Analysis* analysis : fed_) analysis->consume(slice);
    if (also_) also_(slice);
  });
  return true;
}

// Calls are all of one sort here.
void Report::see(const Slice& slice) {
  std::size_t events = 0;
  for (const Run& run : slice.runs) events += run.end - run.begin;
  if (events != slice.others.size()) seen_[static_cast<std::size_t>(event::Kind::Enter)] = true;
  for (const std::uint32_t i : slice.others)
    seen_[static_cast<std::size_t>(slice.batch.events[i].kind)] = true;
}

std::vector<Report::Empty> Report::empty_sections(const std::vector<Table>& all) const {
  std::vector<Empty> out;
  for (const Part& part : parts_) {
    const Section& section = *part.section;
    const auto filled = [&](const Table& table) {
      return table.section == section.key && !table.rows.empty();
    };
    if (!part.shown || section.kinds.empty() || std::ranges::any_of(all, filled)) continue;
    const auto seen = [&](event::Kind kind) { return seen_[static_cast<std::size_t>(kind)]; };
    out.push_back({&section, std::ranges::any_of(section.kinds, seen)});
  }
  return out;
}

void Report::finish() {
  for (Analysis* analysis : fed_) analysis->finish(slicer_.names());
}

std::vector<std::string> Report::limits() const {
  std::vector<std::string> all;
  for (const Analysis* analysis : fed_)
    for (std::string& limit : analysis->limits())
      if (std::ranges::find(all, limit) == all.end()) all.push_back(std::move(limit));
  return all;
}

const Analysis* Report::analysis(std::string_view section) const {
  const auto found =
      std::ranges::find_if(parts_, [&](const Part& part) { return part.section->key == section; });
  return found == parts_.end() ? nullptr : found->analysis.get();
}

std::vector<Table> Report::tables(const TableOptions& options) const {
  std::vector<Table> all;
  for (const Part& part : parts_) {
    if (!part.shown) continue;
    for (Table& table : part.analysis->tables(slicer_.names(), options)) {
      table.section = part.section->key;
      all.push_back(std::move(table));
    }
  }
  return all;
}

}  // namespace polytrace::analysis
