// SPDX-License-Identifier: Apache-2.0
// Lists, queues and spines of trees that keep much alive: objects of one class, each of which
// dominates the next. No single one of them is where it piles up, for each holds nearly all that
// the one before it holds. Pure; one thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/heap/questions.hpp"

namespace polytrace::analysis {

// Objects of one class.
struct ObjectGroup {
  std::uint32_t type = 0;
  std::uint64_t objects = 0;
  std::uint64_t retained = 0;
  std::uint64_t largest = 0;  // what one of them retains
};
// The class that retains most; none without objects.
ObjectGroup heaviest_class(const HeapView& view, std::span<const HeapGraph::Index> objects);

struct HeapChain {
  HeapGraph::Index head;                  // the first link
  std::uint64_t links;                    // objects of its class
  std::vector<HeapGraph::Index> members;  // the links, with what lies between them
  ObjectGroup parts;                      // what they hold beside each other, most of it
};

// Those that retain `least` bytes or more without what lies behind the last link, and no link of
// which holds a fourth of that itself. An object is a member of one at most. In no particular
// order.
std::vector<HeapChain> heap_chains(const HeapView& view, const DominatorTree& tree,
                                   std::uint64_t least);

// The one of those that `object` dominates directly that holds half of all that it retains, or
// more; kNone if there is none.
HeapGraph::Index main_part(const HeapView& view, const DominatorTree& tree,
                           HeapGraph::Index object);

}  // namespace polytrace::analysis
