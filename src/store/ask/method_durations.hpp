// SPDX-License-Identifier: Apache-2.0
// How long the calls of each method took in a stretch of time, from one walk over all calls in it:
// what no sums tell, since it does not add up.
#pragma once

#include "base/duration_sketch.hpp"
#include "store/ask/calls/range.hpp"

namespace polytrace::store {

// What of a call's time does not count.
struct LeftOut {
  bool waits = false;
  bool pauses = false;
};

struct MethodDurations {
  std::uint64_t calls = 0;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();  // ns; so is `most`
  std::uint64_t most = 0;
  base::DurationSketch sketch{};
};

// By method index; shorter where the last methods have none. Of calls with start < to and end >=
// from, of each the part inside. Errors: those of frames; read_failed when asked to stop;
// value_unexpected where pauses are to be left out and not known.
base::result<std::vector<MethodDurations>> method_durations(const CallFrames& frames,
                                                            const Range& range,
                                                            LeftOut left_out = {});

}  // namespace polytrace::store
