// SPDX-License-Identifier: Apache-2.0
// What threads did in a stretch of time, by path: of each block at its edges a part, of those
// between the largest sums that fit. From it come the figures by method and the tree, to the
// nanosecond those of a report of that stretch.
#pragma once

#include <vector>

#include "store/ask/calls/range.hpp"

namespace polytrace::store {

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
