// SPDX-License-Identifier: Apache-2.0
// What a question is about: a stretch of time and some threads. And what it says of a path.
#pragma once

#include <atomic>
#include <limits>
#include <vector>

#include "store/read/call_frames.hpp"

namespace polytrace::store {

struct Range {
  base::Time from = std::numeric_limits<base::Time>::min();
  base::Time to = std::numeric_limits<base::Time>::max();  // not included
  std::vector<std::uint32_t> threads{};                    // indexes; empty: all
  const std::atomic<bool>* stop = nullptr;                 // asked once a block; null: never stops
};

// Calls ask(thread) for each thread of the range that there is, until one gives an error.
template <class Ask>
base::result<void> ask_threads(const CallFrames& frames, const Range& range, Ask ask) {
  const bool all = range.threads.empty();
  const auto count = all ? frames.threads() : static_cast<std::uint32_t>(range.threads.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t thread = all ? i : range.threads[i];
    if (thread >= frames.threads()) continue;
    if (auto asked = ask(thread); !asked) return asked;
  }
  return {};
}

// Of one path. What it was not paused, blocked or waiting, it ran.
struct PathFigures : PathSum {
  std::uint64_t paused = 0;        // of self; `blocked` and `waiting` are outside of it
  std::uint64_t paused_waits = 0;  // of `paused`, while the thread waited, too
};

}  // namespace polytrace::store
