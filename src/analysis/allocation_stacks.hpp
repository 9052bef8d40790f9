// SPDX-License-Identifier: Apache-2.0
// The stacks that allocations were made on, as nodes of one tree: recorded ones, else, where the
// trace has calls, those that the calls tell. One thread at a time.
#pragma once

#include <algorithm>

#include "analysis/live_stack.hpp"
#include "analysis/selected.hpp"
#include "analysis/stack_table.hpp"

namespace polytrace::analysis {

// What an object stands for: itself, or, where the recorder chose it, others as well.
inline Amount allocated(const event::Alloc& alloc) {
  const std::uint64_t objects = std::max<std::uint64_t>(alloc.weight, 1);
  return {objects, objects * alloc.size};
}

class AllocationStacks {
 public:
  // Calls function(event, stack, amount) for every selected allocation, in order: the node of
  // tree(), how many objects and bytes it stands for.
  template <class Function>
  void consume(const Slice& slice, const Selection& selection, const Function& function) {
    decide(slice);
    const auto take = [&](const event::Event& event) {
      if (!is_allocation(event) || !selects(selection, slice.batch, event)) return;
      function(event, stack_of(slice, event), amount_of(slice.batch, event));
    };
    if (!follows_calls_) {
      for (const std::uint32_t i : slice.others) take(slice.batch.events[i]);
      return;
    }
    for (const Run& run : slice.runs) {
      LiveStack& calls = slot(calls_, run.thread);
      for (std::uint32_t i = run.begin; i < run.end; ++i)
        if (!calls.follow(slice.batch.events[i])) take(slice.batch.events[i]);
    }
  }

  const StackTree& tree() const { return tree_; }
  // Whether some stacks are those of recorded calls.
  bool follows_calls() const { return took_calls_; }
  // Objects that were recorded for more than themselves.
  std::uint64_t samples() const { return samples_; }

 private:
  static bool is_allocation(const event::Event& event) {
    return event.kind == event::Kind::Alloc || event.kind == event::Kind::AllocSummary;
  }
  void decide(const Slice& slice);
  std::uint32_t stack_of(const Slice& slice, const event::Event& event);
  Amount amount_of(const event::Batch& batch, const event::Event& event);

  StackTree tree_;
  std::vector<LiveStack> calls_;  // by thread index, while followed
  bool follows_calls_ = true;     // until allocations turn out to have stacks
  bool took_calls_ = false;
  std::uint64_t samples_ = 0;
};

}  // namespace polytrace::analysis
