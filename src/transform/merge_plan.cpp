// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "transform/ids.hpp"
#include "transform/merge.hpp"

namespace polytrace::transform {

using base::Duration;
using base::Id;
using base::kNoTime;
using base::Time;

namespace {

Time earlier(Time a, Time b) { return a == kNoTime ? b : b == kNoTime ? a : std::min(a, b); }

Duration difference(Time a, Time b) {
  Duration result = 0;
  if (!__builtin_sub_overflow(a, b, &result)) return result;
  return a < b ? std::numeric_limits<Duration>::min() : std::numeric_limits<Duration>::max();
}

std::vector<std::size_t> listed(const Prefixes& prefixes) {
  std::vector<std::size_t> list;
  for (std::size_t prefix = 0; prefix < prefixes.size(); ++prefix) {
    if (prefixes[prefix]) list.push_back(prefix);
  }
  return list;
}

// Where ids use so many prefixes that no tag of that kind keeps them apart (they are hashes), all
// bits but the lowest three are combined: then it is 2^-60 likely that two are the same.
Id wide_tag(std::size_t trace) { return (trace * 0x9e3779b97f4a7c15U) & ~Id{7}; }

// The smallest tag that keeps the trace's ids apart from those that are taken. What 0 and "not
// told" look like is never made.
Id choose_tag(const Prefixes& own, std::size_t trace, Prefixes& taken) {
  const std::vector<std::size_t> prefixes = listed(own);
  for (std::size_t tag = trace == 0 ? 0 : 1; tag < taken.size(); ++tag) {
    const auto is_taken = [&](std::size_t prefix) { return taken[prefix ^ tag]; };
    if (std::ranges::any_of(prefixes, is_taken)) continue;
    for (const std::size_t prefix : prefixes) taken.set(prefix ^ tag);
    taken.set(0).set(taken.size() - 1);
    return Id{tag} << kPrefixShift;
  }
  return wide_tag(trace);
}

std::size_t reference_of(const std::vector<TraceFacts>& facts) {
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (facts[i].wall != kNoTime) return i;
  }
  return 0;
}

}  // namespace

Time shifted(Time time, Duration shift) {
  Time sum = 0;
  if (__builtin_add_overflow(time, shift, &sum))
    sum = shift < 0 ? kNoTime : std::numeric_limits<Time>::max();
  return std::max(sum, kNoTime + 1);
}

void TraceSurvey::survey(const event::Batch& batch, unsigned worker) {
  TraceFacts& facts = facts_[worker];
  for_each_id(batch, [&](Id id) { facts.prefixes.set(id >> kPrefixShift); });
  for (const event::Event& event : batch.events) {
    if (event::role_of(event.kind) != event::Role::heading)
      facts.first = earlier(facts.first, event.time);
  }
}

bool TraceSurvey::consume(const event::Batch& batch) {
  if (all_.wall != kNoTime || batch.column<event::Clock>().empty()) return true;
  for (const event::Event& event : batch.events) {
    if (event.kind != event::Kind::Clock || all_.wall != kNoTime) continue;
    all_.wall = batch.details_or(event, event::Clock{}).wall;
    all_.wall_at = event.time;
  }
  return true;
}

TraceFacts TraceSurvey::take() {
  for (const TraceFacts& facts : facts_) {
    all_.prefixes |= facts.prefixes;
    all_.first = earlier(all_.first, facts.first);
  }
  return all_;
}

std::vector<Placement> place(const std::vector<TraceFacts>& facts,
                             const std::vector<Duration>& offsets) {
  std::vector<Placement> all(facts.size());
  const std::size_t reference = reference_of(facts);
  const TraceFacts& clock = facts[reference];
  Time earliest = clock.first;
  Prefixes taken;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    all[i].is_reference = i == reference;
    all[i].tag = choose_tag(facts[i].prefixes, i, taken);
    if (facts[i].wall == kNoTime || i == reference) continue;
    all[i].shift = difference(difference(facts[i].wall, facts[i].wall_at),
                              difference(clock.wall, clock.wall_at));
    if (facts[i].first != kNoTime)
      earliest = earlier(earliest, shifted(facts[i].first, all[i].shift));
  }
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const bool lost = facts[i].wall == kNoTime && i != reference;
    if (lost && facts[i].first != kNoTime && earliest != kNoTime)
      all[i].shift = difference(earliest, facts[i].first);
    all[i].shift = shifted(all[i].shift, offsets[i]);
  }
  return all;
}

}  // namespace polytrace::transform
