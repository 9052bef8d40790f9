// SPDX-License-Identifier: Apache-2.0
// How many events a trace has, of each kind and of each thread, without looking at them one by one:
// what is said of a trace when it is opened.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "store/ask/told_span.hpp"
#include "store/read/index_frames.hpp"

namespace polytrace::store {

struct ThreadCounts {
  std::uint64_t events = 0;                     // but for those that head the trace
  TimeSpan span{base::kNoTime, base::kNoTime};  // of these
};

struct ToldCounts {
  std::array<std::uint64_t, event::kKindCount> kinds{};
  std::vector<ThreadCounts> threads{};  // by index
};

// Nothing where the events have to be looked at for it. Errors: those of frames.
base::result<std::optional<ToldCounts>> told_counts(const IndexFrames& frames);

}  // namespace polytrace::store
