// SPDX-License-Identifier: Apache-2.0
// A program that does a bit of everything, drawn from a seed.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "analysis/asked.hpp"
#include "collector/aggregate/windows.hpp"

namespace polytrace::test {

inline constexpr base::Time kNoon = 1'795'694'400 * collector::kSecond;

// Some minutes of four threads, whose blocks come up to a few seconds late: calls that last from
// nothing to all of it, waits, collections, exceptions, losses, names that come late.
class Program {
 public:
  explicit Program(unsigned seed) : random_(seed) {
    event::Clock clock;
    clock.wall = kNoon;
    Stream(all_, 1).add(0, base::kNoId, clock).type(500, "Lock").type(501, "Oops");
    for (base::Id id = 1; id <= 12; ++id) names(id);
  }
  event::Batch& run(base::Time until, base::Time now = collector::kSecond) {
    for (base::Id thread = 1; thread <= 4; ++thread) times_[thread] = std::max(times_[thread], now);
    const base::Time earliest = now;
    while (now < until) {
      const base::Id thread = 1 + random_() % 4;
      Stream stream(all_, thread);
      base::Time& time = times_[thread];
      time = std::max(
          {time, earliest, now - static_cast<base::Time>(random_() % (4 * collector::kSecond))});
      for (std::uint64_t i = random_() % 12; i > 0; --i)
        step(stream, thread, time += random_() % (collector::kSecond / 2));
      now += static_cast<base::Time>(random_() % (2 * collector::kSecond));
      if (random_() % 40 == 0) names(13 + random_() % 8);
    }
    return all_;
  }

 private:
  void names(base::Id id) { Stream(all_, 1).method(id, "M" + std::to_string(id)); }
  void step(Stream& stream, base::Id thread, base::Time time) {
    auto& open = open_[thread];
    switch (random_() % 12) {
      case 0:
        stream.add(time, 9,
                   event::Monitor{.stage = waits_[thread] ? event::MonitorStage::acquired
                                                          : event::MonitorStage::contended,
                                  .class_id = 500});
        waits_[thread] = !waits_[thread];
        return;
      case 1: stream.add(time, 9, event::Throw{.class_id = 501}); return;
      case 2:
        if (thread == 1) stream.add(time, base::kNoId, event::Lost{.records = 1 + random_() % 3});
        return;
      case 3:
        if (thread != 2) return;
        stream.add(time, 1,
                   event::Gc{.phase = stopped_ ? event::GcPhase::world_started
                                               : event::GcPhase::world_stopped});
        stopped_ = !stopped_;
        return;
      default: break;
    }
    if (open.size() < 2 || (open.size() < 12 && random_() % 2 == 0)) {
      open.push_back(1 + random_() % 20);
      stream.add(time, open.back(), event::Enter{});
    } else {
      stream.add(time, open.back(), event::Leave{});
      open.pop_back();
    }
  }

  std::mt19937 random_;
  event::Batch all_;
  std::map<base::Id, std::vector<base::Id>> open_;
  std::map<base::Id, base::Time> times_;
  std::map<base::Id, bool> waits_;
  bool stopped_ = false;
};

}  // namespace polytrace::test
