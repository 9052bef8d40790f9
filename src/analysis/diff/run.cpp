// SPDX-License-Identifier: Apache-2.0
#include "analysis/diff/run.hpp"

#include <algorithm>
#include <tuple>

#include "analysis/calls/calltree.hpp"
#include "analysis/diff/topics.hpp"
#include "slice/names.hpp"

namespace polytrace::analysis {
namespace {

std::vector<const Section*> compared_sections() {
  std::vector<const Section*> out = {find_section("suspects")};
  for (const DiffTopic& topic : kDiffTopics) out.push_back(find_section(topic.section));
  return out;
}

Figures sorted(Figures figures) {
  std::ranges::stable_sort(figures.all, [](const Figure& one, const Figure& other) {
    return std::tie(other.amount.weight, one.name) < std::tie(one.amount.weight, other.name);
  });
  return figures;
}

// Of the part of a trace that is selected.
std::uint64_t span_of(const slice::Extent& extent, base::Time from, base::Time to) {
  if (extent.first == base::kNoTime) return 0;
  const base::Time first = std::max(extent.first, from), last = std::min(extent.last, to);
  return first < last ? base::elapsed(first, last) : 0;
}

}  // namespace

// The walk through the calls is the largest part of the work: there is one, the report's.
struct DiffRun::Reading {
  Reading(const Selection& selection, const Weight* weight)
      : report(compared_sections(), selection),
        builder(selection, {.weight = weight, .tree = report.tree()}) {
    report.tree()->fill(spread);
    report.share_slices([this](const Slice& slice) { builder.consume(slice); });
  }

  Report report;
  CallSpread spread;
  ProfileBuilder builder;
};

DiffRun::DiffRun(const Selection& selection, const Weight* weight, bool exact_names)
    : exact_names_(exact_names),
      from_(selection.from),
      to_(selection.to),
      reading_(std::make_unique<Reading>(selection, weight)) {}

DiffRun::~DiffRun() = default;

bool DiffRun::consume(const event::Batch& batch) {
  take_samples(batch);
  return reading_->report.consume(batch);
}

void DiffRun::take_samples(const event::Batch& batch) {
  for (const event::Alloc& alloc : batch.column<event::Alloc>()) {
    if (alloc.weight <= 1) continue;
    samples_ += 1;
    sampled_bytes_ += static_cast<double>(alloc.weight) * static_cast<double>(alloc.size);
  }
}

void DiffRun::finish() {
  Report& report = reading_->report;
  report.finish();
  limits_ = report.limits();
  const Names& names = report.names();
  if (auto profile = reading_->builder.finish(names)) profile_ = std::move(*profile);
  for (const DiffTopic& topic : kDiffTopics)
    if (!figures_.contains(topic.section))
      figures_[topic.section] = sorted(report.analysis(topic.section)->figures(names));
  suspects_ = report.analysis("suspects")->suspects(names);
  span_ = span_of(extent_of(names), from_, to_);
  for (std::uint32_t i = 0; i < names.methods().size(); ++i) {
    const CallSpread::Sums sums = reading_->spread.of(i);
    if (sums.calls == 0) continue;
    const std::string name = names.method_name(i);
    spreads_[exact_names_ ? name : alike(name, NameKind::method)].merge(sums);
    calls_ += sums.calls;
  }
  reading_.reset();
}

const Figures& DiffRun::figures(std::string_view section) const {
  static const Figures kNone;
  const auto found = figures_.find(section);
  return found == figures_.end() ? kNone : found->second;
}

CallSpread::Sums DiffRun::spread_of(const std::string& name) const {
  const auto found = spreads_.find(name);
  return found == spreads_.end() ? CallSpread::Sums{} : found->second;
}

}  // namespace polytrace::analysis
