// SPDX-License-Identifier: Apache-2.0
#include "analysis/diff/run.hpp"

#include <algorithm>
#include <tuple>

#include "analysis/calls/calltree.hpp"
#include "analysis/calls/own_times.hpp"
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
    report.tree()->fill(own);
    report.share_slices([this](const Slice& slice) { builder.consume(slice); });
  }

  Report report;
  OwnTimes own;
  ProfileBuilder builder;
};

DiffRun::DiffRun(const Selection& selection, const Weight* weight)
    : from_(selection.from),
      to_(selection.to),
      reading_(std::make_unique<Reading>(selection, weight)),
      weight_(weight) {}

DiffRun::~DiffRun() = default;

bool DiffRun::consume(const event::Batch& batch) {
  take_samples(batch);
  take_sampling(batch);
  return reading_->report.consume(batch);
}

void DiffRun::take_samples(const event::Batch& batch) {
  for (const event::Alloc& alloc : batch.column<event::Alloc>()) {
    if (alloc.weight <= 1) continue;
    samples_ += 1;
    sampled_bytes_ += static_cast<double>(alloc.weight) * static_cast<double>(alloc.size);
  }
}

void DiffRun::take_sampling(const event::Batch& batch) {
  for (const event::Process& process : batch.column<event::Process>()) {
    const std::string_view options = process.options;
    const std::size_t begin = options.find("samples=");
    if (begin != std::string_view::npos)
      sampling_ = options.substr(begin, options.find_first_of(",+", begin) - begin);
  }
}

void DiffRun::finish() {
  Report& report = reading_->report;
  report.finish();
  limits_ = report.limits();
  const Names& names = report.names();
  knows_cpu_ = report.tree()->knows_busy() && !report.tree()->totals().empty();
  make_profiles();
  for (const DiffTopic& topic : kDiffTopics)
    if (!figures_.contains(topic.section))
      figures_[topic.section] = sorted(report.analysis(topic.section)->figures(names));
  suspects_ = report.analysis("suspects")->suspects(names);
  span_ = span_of(extent_of(names), from_, to_);
  sum_method_times();
  reading_.reset();
}

void DiffRun::make_profiles() {
  const Names& names = reading_->report.names();
  auto profile = reading_->builder.finish(names);
  if (!profile) return;
  if (weight_ == nullptr && knows_cpu_) profiles_.push_back(reading_->builder.cpu_of_calls(names));
  profiles_.push_back(std::move(*profile));
}

void DiffRun::sum_method_times() {
  const std::vector<CallTotals>& all = reading_->report.tree()->totals();
  for (const CallTotals& method : all) calls_ += static_cast<double>(method.calls);
  for (const Figure& method : figures_["calls"].all) {
    const CallTotals& totals = all[method.index];
    const OwnTimes::Sums own = reading_->own.of(method.index);
    method_times_.push_back({.busy = totals.busy,
                             .waiting = totals.waiting,
                             .worked = totals.self - std::min(totals.self, own.waits),
                             .late = own.late()});
  }
}

const Figures& DiffRun::figures(std::string_view section) const {
  static const Figures kNone;
  const auto found = figures_.find(section);
  return found == figures_.end() ? kNone : found->second;
}

}  // namespace polytrace::analysis
