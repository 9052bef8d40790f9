// SPDX-License-Identifier: Apache-2.0
// How long the calls of some methods took in a stretch of time: as a report of the stretch says it,
// which sees of a call what lies in it. Blocks that enter none of the methods are left out.
#pragma once

#include "base/duration_sketch.hpp"
#include "store/ask/calls/range.hpp"
#include "store/ask/method_blocks.hpp"

namespace polytrace::store {

struct TimedCall {
  std::uint32_t thread;
  SliceId call;
  std::uint32_t path;
  base::Time start;  // whole, whatever the range
  base::Time end;
  std::uint64_t duration;  // ns in the range
};

struct Durations {
  std::uint64_t calls = 0;
  std::uint64_t least = 0;  // ns; so are all
  std::uint64_t most = 0;
  std::uint64_t sum = 0;
  base::DurationSketch sketch{};     // for quantiles, where there are calls
  std::vector<TimedCall> slowest{};  // the longest first; of equal ones by start, thread, number
};

// Of calls with start < to and end >= from. A call without an end lasts to its thread's last event.
// `slowest`: how many at most. Errors: those of frames; limit_exceeded when asked to stop.
base::result<Durations> durations(const CallFrames& frames, const MethodSet& methods,
                                  const Range& range, std::size_t slowest = 0);

}  // namespace polytrace::store
