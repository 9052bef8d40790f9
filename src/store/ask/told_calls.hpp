// SPDX-License-Identifier: Apache-2.0
// How many call events a thread has and from when to when, from the heads of its blocks; only
// blocks with events that fit no call are decoded.
#pragma once

#include <algorithm>
#include <optional>

#include "store/read/index_frames.hpp"

namespace polytrace::store {

struct TimeSpan {
  base::Time first;
  base::Time last;

  void extend(base::Time time) {
    first = std::min(first, time);
    last = std::max(last, time);
  }
};

struct ToldCalls {
  std::uint64_t enters = 0;
  std::uint64_t leaves = 0;
  std::uint64_t unwinds = 0;
  std::optional<TimeSpan> span{};
};

// REQUIRES: no times of the trace went back. Errors: those of blocks.
base::result<ToldCalls> told_calls(const IndexFrames& frames, std::uint32_t thread);

}  // namespace polytrace::store
