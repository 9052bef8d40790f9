// SPDX-License-Identifier: Apache-2.0
#include "slice/pauses.hpp"

#include <algorithm>

#include "base/types.hpp"

namespace polytrace::slice {

using base::kNoTime;
using event::GcPhase;

void PauseFinder::add(std::uint64_t thread, base::Time time, GcPhase phase) {
  Open& open = open_[thread];
  switch (phase) {
    case GcPhase::world_stopped: open.stop.begin(time); return;
    case GcPhase::world_started: {
      const base::Time stopped = open.stop.end();
      if (stopped != kNoTime && time > stopped) stops_.push_back({stopped, time, 0});
      return;
    }
    case GcPhase::start:
      if (open.depth++ == 0) open.started = time;
      return;
    case GcPhase::end:
      if (open.depth == 0 || --open.depth != 0) return;
      if (time > open.started) collections_.push_back({open.started, time, 0});
      return;
    default: return;
  }
}

Pauses PauseFinder::take() {
  std::vector<Pauses::Pause>& all = stops_.empty() ? collections_ : stops_;
  std::ranges::sort(all, {}, &Pauses::Pause::start);
  Pauses pauses;
  for (const Pauses::Pause& pause : all) {
    if (!pauses.all.empty() && pause.start <= pauses.all.back().end)
      pauses.all.back().end = std::max(pauses.all.back().end, pause.end);
    else pauses.all.push_back(pause);
  }
  std::uint64_t before = 0;
  for (Pauses::Pause& pause : pauses.all) {
    pause.before = before;
    before += base::elapsed(pause.start, pause.end);
  }
  return pauses;
}

namespace {

// Paused before `time`.
std::uint64_t paused_before(const Pauses& pauses, base::Time time) {
  const auto after = std::ranges::upper_bound(pauses.all, time, {}, &Pauses::Pause::start);
  if (after == pauses.all.begin()) return 0;
  const Pauses::Pause& pause = *std::prev(after);
  return pause.before + base::elapsed(pause.start, std::min(time, pause.end));
}

}  // namespace

// The worst window begins with a pause or ends with one.
std::optional<double> least_utilisation(const Pauses& pauses, std::uint64_t window,
                                        base::Time first, base::Time last) {
  if (window == 0 || base::elapsed(first, last) < window) return std::nullopt;
  const auto length = static_cast<base::Duration>(window);
  std::uint64_t most = 0;
  const auto look = [&](base::Time start) {
    start = std::clamp(start, first, last - length);
    most = std::max(most, paused_before(pauses, start + length) - paused_before(pauses, start));
  };
  for (const Pauses::Pause& pause : pauses.all) {
    look(pause.start);
    if (base::elapsed(first, pause.end) >= window) look(pause.end - length);
  }
  return 1 - static_cast<double>(std::min(most, window)) / static_cast<double>(window);
}

}  // namespace polytrace::slice
