// SPDX-License-Identifier: Apache-2.0
// Who alone keeps what alive. An object dominates those that only ways through it reach from the
// roots; what it retains is its own size and theirs: what a collector could take back without it.
// Lengauer and Tarjan's algorithm with path compression, O(m log n) whatever the graph. While it
// works, 28 bytes an object and 4 for each reference to it but the first; 12 in the answer. A
// value; const use is thread-safe.
#pragma once

#include <vector>

#include "analysis/heap/graph/graph.hpp"

namespace polytrace::analysis {

class Dominators {
 public:
  using Index = HeapGraph::Index;
  static constexpr Index kUnreached = HeapGraph::kNone;
  static constexpr Index kRoots = HeapGraph::kNone - 1;  // no single object dominates it

  // From the graph's roots. A graph without any: from the objects that nothing refers to, and from
  // the first of each circle that nothing else leads to.
  static Dominators of(const HeapGraph& graph);

  // The nearest object that dominates this one, or kRoots, or kUnreached.
  Index of_object(Index object) const { return dominators_[object]; }
  bool reached(Index object) const { return dominators_[object] != kUnreached; }
  std::uint64_t retained(Index object) const { return retained_[object]; }  // 0: not reached
  std::uint64_t reached_objects() const { return reached_objects_; }
  std::uint64_t reached_bytes() const { return reached_bytes_; }
  bool roots_told() const { return roots_told_; }

 private:
  std::vector<Index> dominators_;
  std::vector<std::uint64_t> retained_;
  std::uint64_t reached_objects_ = 0;
  std::uint64_t reached_bytes_ = 0;
  bool roots_told_ = true;
};

// What dominates what, the other way round: for walks from the roots down. 8 bytes an object.
class DominatorTree {
 public:
  using Index = HeapGraph::Index;
  static constexpr Index kNone = HeapGraph::kNone;

  explicit DominatorTree(const Dominators& dominators, Index objects);
  // The first object that `object` dominates directly, or that nothing does (kRoots); kNone if
  // none.
  Index first(Index object) const {
    return object == Dominators::kRoots ? first_of_roots_ : firsts_[object];
  }
  // The next one of the same dominator.
  Index next(Index object) const { return nexts_[object]; }

 private:
  Index first_of_roots_ = kNone;
  std::vector<Index> firsts_;
  std::vector<Index> nexts_;
};

// Calls enter(object) and leave(object) for all that is reached, each dominator around what it
// dominates.
template <class Enter, class Leave>
void walk(const Dominators& dominators, const DominatorTree& tree, Enter&& enter, Leave&& leave) {
  HeapGraph::Index at = tree.first(Dominators::kRoots);
  while (at != DominatorTree::kNone) {
    enter(at);
    if (const HeapGraph::Index down = tree.first(at); down != DominatorTree::kNone) {
      at = down;
      continue;
    }
    for (leave(at); tree.next(at) == DominatorTree::kNone; leave(at)) {
      at = dominators.of_object(at);
      if (at == Dominators::kRoots) return;
    }
    at = tree.next(at);
  }
}

}  // namespace polytrace::analysis
