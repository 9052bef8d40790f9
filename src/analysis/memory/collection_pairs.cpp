// SPDX-License-Identifier: Apache-2.0
#include "analysis/memory/collection_pairs.hpp"

#include <algorithm>
#include <set>

#include "analysis/table/text.hpp"
#include "base/types.hpp"

namespace polytrace::analysis {

using base::kNoTime;
using base::Time;
using event::GcPhase;

void CollectionPairs::add(std::uint32_t thread, const event::Event& event, const event::Gc& details,
                          std::uint32_t site) {
  const bool numbered = event.id != 0 && event.id != base::kNoId;
  const Key key{numbered ? event.id : 0, numbered ? 0 : details.generation};
  Running& running = running_[thread];
  switch (details.phase) {
    case GcPhase::start: return start(thread, event.time, key, details, site);
    case GcPhase::end: return end(running, event.time, key);
    case GcPhase::world_stopped:
      running.stopped = event.time;
      running.in_this_stop.clear();
      return;
    case GcPhase::world_started:
      return resumed(running, event.time, {key.number, details.generation});
    default: return;
  }
}

// A second start of the same on one thread: the first never ended.
void CollectionPairs::start(std::uint32_t thread, Time time, Key key, const event::Gc& details,
                            std::uint32_t site) {
  Running& running = running_[thread];
  const auto index = static_cast<std::uint32_t>(all_.size());
  if (const auto lost = running.open.find(key); lost != running.open.end())
    std::erase(running.nesting, lost->second);
  running.open[key] = index;
  running.nesting.push_back(index);
  if (running.stopped != kNoTime) running.in_this_stop.push_back(index);
  Collection& collection = all_.emplace_back();
  collection.generation = details.generation;
  collection.thread = thread;
  collection.number = key.number;
  collection.start = time;
  collection.site = site;
  collection.reason = details.reason;
}

// Where the end does not tell the generation, it is that of the collection begun last.
void CollectionPairs::end(Running& running, Time time, Key key) {
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
  std::erase(running.nesting, open->second);
  running.open.erase(open);
}

void CollectionPairs::resumed(Running& running, Time time, Key key) {
  if (running.stopped == kNoTime) return;
  const std::uint64_t pause = base::elapsed(running.stopped, time);
  pauses_[key.generation].add(pause);
  if (key.number != 0) stops_.push_back({key.number, running.stopped, time});
  for (const std::uint32_t index : running.in_this_stop) {
    if (key.number != 0) break;
    all_[index].pause = pause;
    all_[index].resumed = time;
  }
  running.stopped = kNoTime;
  running.in_this_stop.clear();
}

void CollectionPairs::moved(std::uint32_t thread) {
  const auto found = running_.find(thread);
  if (found == running_.end()) return;
  const Running& running = found->second;
  const auto& candidates = running.nesting.empty() ? running.in_this_stop : running.nesting;
  if (!candidates.empty()) ++all_[candidates.back()].moved;
}

// Numbers come again in traces of several processes: of those that meet the time, the last.
Collection* CollectionPairs::at(const Later& told) {
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

void CollectionPairs::end_elsewhere() {
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

void CollectionPairs::finish() {
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
  std::ranges::stable_sort(stops_, {}, &Later::to);
  for (const Later& stop : stops_) {
    Collection* const collection = at(stop);
    if (collection == nullptr) continue;
    collection->pause = collection->pause.value_or(0) + base::elapsed(stop.from, stop.to);
    collection->resumed = stop.to;
  }
}

}  // namespace polytrace::analysis
