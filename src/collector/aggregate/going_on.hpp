// SPDX-License-Identifier: Apache-2.0
// What is going on at a moment in one process's events: what an aggregator must know, besides all
// definitions up to there, to make the rows of windows that begin later. By ids, so that it means
// the same to another aggregator. Times are the trace's unless said otherwise.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/types.hpp"

namespace polytrace::collector {

struct GoingOn {
  struct Call {
    base::Id method = base::kNoId;
    base::Time start = 0;
    std::uint64_t ticket = 0;
  };
  struct Thread {
    base::Id id = base::kNoId;
    std::vector<Call> calls{};         // outermost first
    base::Time last = base::kNoTime;   // that it was seen: where open calls end, if nothing comes
    base::Time told = base::kNoTime;   // until when its time is in windows
    std::uint64_t debt = 0;            // nanoseconds that sums below its call have told
    base::Time waits = base::kNoTime;  // for a lock, since then
    base::Id lock_class = base::kNoId;
    std::vector<base::Id> lock_stack{};   // methods, outermost first
    base::Time stopped = base::kNoTime;   // the program, by this thread
    base::Time collects = base::kNoTime;  // since then
    std::uint32_t collections = 0;        // that are open
  };
  std::vector<Thread> threads{};
  std::optional<base::Time> clock{};  // the wall time at 0
  base::Time latest = base::kNoTime;
  base::Time first_wall = base::kNoTime;  // wall times
  base::Time last_wall = base::kNoTime;
  bool tells_stops = false;
  bool tells_cpu = false;
  // By number: windows and minutes that have begun, and how often others got their rows.
  std::set<std::int64_t> windows{};
  std::set<std::int64_t> minutes{};
  std::map<std::int64_t, std::uint8_t> closed{};
  std::map<std::int64_t, std::uint8_t> ended{};
  std::uint8_t first_gen = 0;  // what rows of others begin with
};

}  // namespace polytrace::collector
