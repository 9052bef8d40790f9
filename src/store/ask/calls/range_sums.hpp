// SPDX-License-Identifier: Apache-2.0
// What threads did in a stretch of time, by path: of each block at its edges a part, of those
// between the largest sums that fit. From it come the figures by method and the tree, to the
// nanosecond those of a report of that stretch.
#pragma once

#include <atomic>
#include <limits>
#include <span>
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

struct MethodSum {
  std::uint32_t method;
  std::uint64_t calls;
  std::uint64_t total;    // nanoseconds; in a recursion every level counts
  std::uint64_t elapsed;  // of calls outside any other call of the method
  std::uint64_t self;
  std::uint64_t blocked;  // of self; so are the next three
  std::uint64_t waiting;
  std::uint64_t cpu;
  std::uint64_t paused;
};

struct TreeNode {
  PathFigures own;       // `calls` are those of the path
  std::uint64_t total;   // nanoseconds; self of the path and all below it
  std::uint32_t caller;  // its place in the tree; the first node's is its own
};

class RangeSums {
 public:
  // By path; none of which all is 0, none of the empty path.
  const std::vector<PathFigures>& paths() const { return paths_; }
  // False while the index is being built: then `paused` is 0 throughout, and what lies in pauses
  // counts as blocked, as waiting or as neither.
  bool pauses_known() const { return pauses_known_; }
  // By index; only those of which something is not 0.
  std::vector<MethodSum> methods(const Paths& all) const;
  // Those of paths() and of all that they are below, by path; the empty path has the whole.
  std::vector<TreeNode> tree(const Paths& all) const;

 private:
  friend base::result<RangeSums> range_sums(const CallFrames& frames, const Range& range);
  std::vector<PathFigures> paths_;
  bool pauses_known_ = false;
};

// Errors: those of frames; stopped when asked to.
base::result<RangeSums> range_sums(const CallFrames& frames, const Range& range);

}  // namespace polytrace::store
