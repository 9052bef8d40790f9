// SPDX-License-Identifier: Apache-2.0
// The stacks that allocations were made on, as nodes of one tree: recorded ones, else, where the
// trace has calls, those that the calls tell. One thread at a time.
#pragma once

#include <algorithm>

#include "analysis/table/stack_table.hpp"
#include "analysis/table/words.hpp"
#include "slice/call_site.hpp"

namespace polytrace::analysis {

// What an object stands for: itself, or, where the recorder chose it, others as well.
inline Amount allocated(const event::Alloc& alloc) {
  const std::uint64_t objects = std::max<std::uint64_t>(alloc.weight, 1);
  return {objects, objects * alloc.size};
}

class AllocationStacks {
 public:
  explicit AllocationStacks(std::uint32_t most_nodes = StackTree::kMaxNodes) : tree_(most_nodes) {}

  // Calls function(event, stack, amount) for every selected allocation, in order: the node of
  // tree(), how many objects and bytes it stands for. Calls tell stacks where the slicer follows
  // them.
  template <class Function>
  void consume(const Slice& slice, const Selection& selection, const Function& function) {
    decide(slice);
    for (const std::uint32_t i : slice.others) {
      const event::Event& event = slice.batch.events[i];
      if (!is_allocation(event) || !selects(selection, slice.batch, event)) continue;
      function(event, stack_of(slice, i), amount_of(slice.batch, event));
    }
    if (took_calls_) call_limits_ = slice.sites->stacks.limits();
  }

  const StackTree& tree() const { return tree_; }
  // As Analysis::limits().
  std::vector<std::string> limits() const {
    return call_limits_.empty() ? tree_.limits() : call_limits_;
  }
  // Whether some stacks are those of recorded calls.
  bool follows_calls() const { return took_calls_; }
  // Objects that were recorded for more than themselves.
  std::uint64_t samples() const { return samples_; }

 private:
  static bool is_allocation(const event::Event& event) {
    return event.kind == event::Kind::Alloc || event.kind == event::Kind::AllocSummary;
  }
  void decide(const Slice& slice);
  std::uint32_t stack_of(const Slice& slice, std::uint32_t index);
  // The node of tree() that a stack of recorded calls is.
  std::uint32_t own(const StackTree& calls, std::uint32_t stack);
  Amount amount_of(const event::Batch& batch, const event::Event& event);

  StackTree tree_;
  std::vector<std::uint32_t> own_{StackTree::kRoot};  // by node of the calls' tree
  std::vector<std::uint32_t> unknown_;                // while one is looked up
  bool takes_calls_ = true;                           // until allocations turn out to have stacks
  bool took_calls_ = false;
  std::vector<std::string> call_limits_;
  std::uint64_t samples_ = 0;
};

}  // namespace polytrace::analysis
