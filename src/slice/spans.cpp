// SPDX-License-Identifier: Apache-2.0
#include "slice/spans.hpp"

#include <set>

#include "base/types.hpp"

namespace polytrace::slice {

using base::kNoTime;
using base::Time;
using event::GcPhase;
using event::Kind;
using Way = SpanEdge::Way;

std::optional<SpanEdge> span_edge(const event::Gc& gc) {
  const base::Id generation = gc.generation == event::kAbsent ? base::kNoId : gc.generation;
  switch (gc.phase) {
    case GcPhase::start: return SpanEdge{SpanKind::collection, Way::begin, generation};
    case GcPhase::end: return SpanEdge{SpanKind::collection, Way::end, generation};
    case GcPhase::world_stopped: return SpanEdge{SpanKind::stop, Way::begin};
    case GcPhase::world_started: return SpanEdge{SpanKind::stop, Way::end};
    default: return {};
  }
}

std::optional<SpanEdge> span_edge(event::JitStage stage, base::Id method) {
  switch (stage) {
    case event::JitStage::start: return SpanEdge{SpanKind::compilation, Way::begin, method};
    case event::JitStage::end: return SpanEdge{SpanKind::compilation, Way::end, method};
    case event::JitStage::failed: return SpanEdge{SpanKind::compilation, Way::failed, method};
    case event::JitStage::cached_start: return SpanEdge{SpanKind::code_search, Way::begin, method};
    case event::JitStage::cached_end: return SpanEdge{SpanKind::code_search, Way::end, method};
    case event::JitStage::freed: return {};
  }
  return {};
}

std::optional<SpanEdge> span_edge(event::LoadStage stage, base::Id type) {
  switch (stage) {
    case event::LoadStage::start: return SpanEdge{SpanKind::class_load, Way::begin, type};
    case event::LoadStage::end: return SpanEdge{SpanKind::class_load, Way::end, type};
    case event::LoadStage::failed: return SpanEdge{SpanKind::class_load, Way::failed, type};
    default: return {};
  }
}

std::optional<SpanEdge> span_edge(event::MonitorStage stage, base::Id object) {
  switch (stage) {
    case event::MonitorStage::contended: return SpanEdge{SpanKind::lock, Way::begin, object};
    case event::MonitorStage::acquired: return SpanEdge{SpanKind::lock, Way::end, object};
    case event::MonitorStage::failed: return SpanEdge{SpanKind::lock, Way::failed, object};
  }
  return {};
}

std::optional<SpanEdge> span_edge(event::FinalizeStage stage, base::Id object) {
  using event::FinalizeStage;
  switch (stage) {
    case FinalizeStage::round_start: return SpanEdge{SpanKind::finalizer_round, Way::begin};
    case FinalizeStage::round_end: return SpanEdge{SpanKind::finalizer_round, Way::end};
    case FinalizeStage::object_start: return SpanEdge{SpanKind::finalizer, Way::begin, object};
    case FinalizeStage::object_end: return SpanEdge{SpanKind::finalizer, Way::end, object};
  }
  return {};
}

std::optional<SpanEdge> span_edge(event::WaitStage stage, base::Id object) {
  const bool starts = stage == event::WaitStage::start;
  return SpanEdge{SpanKind::wait, starts ? Way::begin : Way::end, object};
}

std::optional<SpanEdge> span_edge(const event::Batch& batch, const event::Event& event) {
  switch (event.kind) {
    case Kind::Gc: return span_edge(batch.details_or<event::Gc>(event, {}));
    case Kind::Jit: return span_edge(batch.details_or<event::Jit>(event, {}).stage, event.id);
    case Kind::ClassLoad:
      return span_edge(batch.details_or<event::ClassLoad>(event, {}).stage, event.id);
    case Kind::Monitor:
      return span_edge(batch.details_or<event::Monitor>(event, {}).stage, event.id);
    case Kind::Wait: return span_edge(batch.details_or<event::Wait>(event, {}).stage, event.id);
    case Kind::Finalize:
      return span_edge(batch.details_or<event::Finalize>(event, {}).stage, event.id);
    default: return {};
  }
}

std::optional<CollectionSpans::Stop> CollectionSpans::add(std::uint32_t thread,
                                                          const event::Event& event,
                                                          const event::Gc& details,
                                                          std::uint32_t site) {
  const bool numbered = event.id != 0 && event.id != base::kNoId;
  const Key key{numbered ? event.id : 0, numbered ? 0 : details.generation};
  Running& running = running_[thread];
  switch (details.phase) {
    case GcPhase::start: start(thread, event.time, key, details, site); return {};
    case GcPhase::end: end(running, event.time, key); return {};
    case GcPhase::stop_world: running.asked = event.time; return {};
    case GcPhase::world_stopped:
      running.stop.begin(event.time);
      running.in_this_stop.clear();
      running.ended_in_stop.clear();
      return {};
    case GcPhase::world_started:
      return resumed(running, event.time, {key.number, details.generation});
    default: return {};
  }
}

// A second start of the same on one thread: the first never ended.
void CollectionSpans::start(std::uint32_t thread, Time time, Key key, const event::Gc& details,
                            std::uint32_t site) {
  Running& running = running_[thread];
  const auto index = static_cast<std::uint32_t>(all_.size());
  if (const auto lost = running.open.find(key); lost != running.open.end())
    std::erase(running.nesting, lost->second);
  running.open[key] = index;
  running.nesting.push_back(index);
  if (running.stop.is_open()) running.in_this_stop.push_back(index);
  Collection& collection = all_.emplace_back();
  collection.generation = details.generation;
  collection.thread = thread;
  collection.number = key.number;
  collection.start = time;
  collection.site = site;
  collection.reason = details.reason;
}

// Where the end does not tell the generation, it is that of the collection begun last.
void CollectionSpans::end(Running& running, Time time, Key key) {
  if (key == Key{0, kNoGeneration} && !running.nesting.empty()) {
    const Collection& last = all_[running.nesting.back()];
    key = {last.number, last.number == 0 ? last.generation : 0};
  }
  const auto open = running.open.find(key);
  if (open == running.open.end()) {
    if (key.number != 0) ends_.push_back({key.number, time, time});
    else strays_.push_back({time, key.generation});
    return;
  }
  all_[open->second].end = time;
  if (running.stop.is_open() &&
      std::ranges::find(running.in_this_stop, open->second) == running.in_this_stop.end())
    running.ended_in_stop.push_back(open->second);
  std::erase(running.nesting, open->second);
  running.open.erase(open);
}

std::optional<CollectionSpans::Stop> CollectionSpans::resumed(Running& running, Time time,
                                                              Key key) {
  const Time stopped = running.stop.end();
  if (stopped == kNoTime) return {};
  const base::Time asked = std::exchange(running.asked, kNoTime);
  add_stop(running, {asked <= stopped ? asked : kNoTime, stopped, time}, key);
  running.in_this_stop.clear();
  running.ended_in_stop.clear();
  return Stop{key.generation, base::elapsed(stopped, time)};
}

// A stop that tells a number is that collection's. Another one is of those that began or ended in
// it: not of one that ran beside the program and happened to be open.
void CollectionSpans::add_stop(const Running& running, WorldStop stop, Key key) {
  if (key.number != 0) {
    stops_.push_back({key.number, stop.from, stop.to});
    stop.ran.push_back({key.generation, WorldStop::Part::whole});
  } else {
    const bool alone = running.in_this_stop.size() + running.ended_in_stop.size() == 1;
    for (const std::uint32_t index : running.ended_in_stop) {
      stop.ran.push_back({all_[index].generation, WorldStop::Part::end});
      add_pause(index, stop.from, stop.to, alone);
    }
    for (const std::uint32_t index : running.in_this_stop) {
      const bool ended = all_[index].end != kNoTime;
      stop.ran.push_back(
          {all_[index].generation, ended ? WorldStop::Part::whole : WorldStop::Part::begin});
      add_pause(index, stop.from, stop.to, alone);
    }
  }
  world_stops_.push_back(std::move(stop));
}

// `alone`: all of the stop was for it.
void CollectionSpans::add_pause(std::uint32_t index, Time from, Time to, bool alone) {
  Collection& collection = all_[index];
  collection.resumed = to;
  if (!alone) {
    from = std::max(from, collection.start);
    if (collection.end != kNoTime) to = std::min(to, collection.end);
  }
  collection.pause = collection.pause.value_or(0) + base::elapsed(from, std::max(from, to));
}

void CollectionSpans::moved(std::uint32_t thread, std::uint64_t objects) {
  const auto found = running_.find(thread);
  if (found == running_.end()) return;
  const Running& running = found->second;
  const auto& candidates = running.nesting.empty() ? running.in_this_stop : running.nesting;
  if (!candidates.empty()) all_[candidates.back()].moved += objects;
}

// Numbers come again in traces of several processes: of those that meet the time, the last.
Collection* CollectionSpans::at(const Later& told) {
  Collection* found = nullptr;
  const auto [first, last] = numbered_.equal_range(told.number);
  for (auto place = first; place != last; ++place) {
    Collection& collection = all_[place->second];
    const bool over = collection.end != kNoTime && collection.end < told.from;
    if (collection.start > told.to || over) continue;
    if (found == nullptr || found->start <= collection.start) found = &collection;
  }
  return found;
}

void CollectionSpans::end_elsewhere() {
  using ByStart = std::set<std::pair<Time, std::uint32_t>>;
  ByStart open;
  std::map<std::uint32_t, ByStart> open_of;  // by generation
  for (const auto& [thread, running] : running_)
    for (const auto& [key, index] : running.open)
      if (key.number == 0) {
        open.emplace(all_[index].start, index);
        open_of[all_[index].generation].emplace(all_[index].start, index);
      }
  std::ranges::stable_sort(strays_, {}, &Stray::time);
  for (const Stray& stray : strays_) {
    const ByStart& wanted = stray.generation == kNoGeneration ? open : open_of[stray.generation];
    if (wanted.empty() || wanted.begin()->first > stray.time) {
      ++ends_without_start_;
      continue;
    }
    const auto ended = *wanted.begin();
    all_[ended.second].end = stray.time;
    open.erase(ended);
    open_of[all_[ended.second].generation].erase(ended);
  }
}

void CollectionSpans::finish() {
  end_elsewhere();
  running_.clear();
  std::ranges::stable_sort(all_, {}, &Collection::start);
  for (std::uint32_t i = 0; i < all_.size(); ++i)
    if (all_[i].number != 0) numbered_.emplace(all_[i].number, i);
  std::ranges::stable_sort(ends_, {}, &Later::to);
  for (const Later& end : ends_) {
    Collection* const collection = at(end);
    if (collection != nullptr && collection->end == kNoTime) collection->end = end.to;
    else ++ends_without_start_;
  }
  std::ranges::stable_sort(world_stops_, {}, &WorldStop::from);
  std::ranges::stable_sort(stops_, {}, &Later::to);
  for (const Later& stop : stops_) {
    Collection* const collection = at(stop);
    if (collection == nullptr) continue;
    collection->pause = collection->pause.value_or(0) + base::elapsed(stop.from, stop.to);
    collection->resumed = stop.to;
  }
}

}  // namespace polytrace::slice
