// SPDX-License-Identifier: Apache-2.0
#include "analysis/states/derive/collector_states.hpp"

#include <algorithm>

namespace polytrace::analysis {

using event::GcPhase;

namespace {

constexpr std::array<std::string_view, kCollectorAttributes> kCollectorNames{
    "Phase", "Generation", "Collections", "Reason"};

}  // namespace

history::Key CollectorStates::key(CollectorAttribute attribute) {
  if (!begun_) {
    begun_ = true;
    attributes_ = Attributes<CollectorAttribute, kCollectorAttributes>(
        world_.writer.key(history::kRoot, "Collector"));
  }
  return attributes_.key(world_.writer, kCollectorNames, attribute);
}

bool CollectorStates::pauses_threads() const {
  const Seen& seen = world_.gathered().seen;
  // While the world is being stopped, its threads still run.
  if (seen.world_stops) return ground_ == Ground::stopped || ground_ == Ground::restarting;
  if (seen.world_syncs) return synced_stop_;
  return !open_.empty();
}

void CollectorStates::gc(const Happening& happening) {
  const auto phase = static_cast<GcPhase>(happening.detail);
  if (phase == GcPhase::start) start(happening);
  else if (phase == GcPhase::end) end(happening);
  else follow(phase);
  show();
}

// A second start of a generation: the end of the first was not told.
void CollectorStates::start(const Happening& happening) {
  const auto generation = static_cast<std::uint32_t>(happening.a);
  std::erase_if(open_, [&](const Open& open) { return open.generation == generation; });
  if (open_.size() < kMostOpen) open_.push_back({generation, happening.index});
  world_.writer.set_number(key(CollectorAttribute::collections), ++collections_);
}

// Ends whose generation is not told, or belongs to a start without one, are those of the oldest.
void CollectorStates::end(const Happening& happening) {
  const auto generation = static_cast<std::uint32_t>(happening.a);
  auto meant = std::ranges::find(open_, generation, &Open::generation);
  if (meant == open_.end() && generation != kNothing)
    meant = std::ranges::find(open_, kNothing, &Open::generation);
  else if (meant == open_.end()) meant = open_.begin();
  if (meant != open_.end()) open_.erase(meant);
  if (open_.empty()) work_ = Work::none;
}

void CollectorStates::follow(GcPhase phase) {
  switch (phase) {
    case GcPhase::stop_world: ground_ = Ground::stopping; return;
    case GcPhase::world_stopped: ground_ = Ground::stopped; return;
    case GcPhase::start_world: ground_ = Ground::restarting; return;
    case GcPhase::world_started: ground_ = Ground::running; return;
    case GcPhase::mark_start: work_ = Work::marking; return;
    case GcPhase::sweep_start: work_ = Work::sweeping; return;
    case GcPhase::mark_end:
    case GcPhase::sweep_end: work_ = Work::none; return;
    default: return;
  }
}

std::string_view CollectorStates::phase() const {
  if (work_ == Work::marking) return "marking";
  if (work_ == Work::sweeping) return "sweeping";
  if (!open_.empty()) return "collecting";
  switch (ground_) {
    case Ground::stopping: return "stopping";
    case Ground::stopped: return "stopped";
    case Ground::restarting: return "restarting";
    default: return "idle";
  }
}

void CollectorStates::show() {
  using A = CollectorAttribute;
  StateWriter& writer = world_.writer;
  writer.set(key(A::phase), history::Value::text(phase()));
  const std::uint32_t number = open_.empty() ? kNothing : open_.back().generation;
  if (number != kNothing || attributes_.has(A::generation))
    writer.set(key(A::generation), number == kNothing ? history::Value::null()
                                                      : history::Value::of(std::int64_t{number}));
  const std::uint32_t why = open_.empty() ? kNothing : open_.back().reason;
  if (why != kNothing || attributes_.has(A::reason))
    writer.set(key(A::reason),
               why == kNothing ? history::Value::null() : history::Value::text(world_.text(why)));
}

}  // namespace polytrace::analysis
