// SPDX-License-Identifier: Apache-2.0
#include "analysis/allocation_stacks.hpp"

#include <algorithm>

namespace polytrace::analysis {

using event::Event;
using event::Kind;

// Calls are followed from the first batch on that has both calls and an allocation without stack.
bool AllocationStacks::needs_calls(const Slice& slice) {
  std::size_t events = 0;
  for (const Run& run : slice.runs) events += run.end - run.begin;
  if (slice.others.size() == events) return false;
  return std::ranges::any_of(slice.others, [&](std::uint32_t i) {
    const Event& event = slice.batch.events[i];
    return event.kind == Kind::Alloc &&
           !slice.batch.details_or<event::Alloc>(event, {}).stack.present();
  });
}

bool AllocationStacks::follow(const Event& event, LiveStack& calls) {
  switch (event.kind) {
    case Kind::Enter: calls.enter(event.id); return true;
    case Kind::Leave:
    case Kind::Unwind: calls.leave(event.id); return true;
    default: return false;
  }
}

std::uint32_t AllocationStacks::stack_of(const Slice& slice, const Event& event) {
  const event::Batch& batch = slice.batch;
  const event::Stack stack = event.kind == Kind::Alloc
                                 ? batch.details_or<event::Alloc>(event, {}).stack
                                 : batch.details_or<event::AllocSummary>(event, {}).stack;
  if (stack.present() || event.kind == Kind::AllocSummary || !follows_calls_)
    return tree_.intern(batch.list(stack), slice.names);
  return slot(calls_, slice.threads[event.thread]).node(tree_, slice.names);
}

Amount AllocationStacks::amount_of(const event::Batch& batch, const Event& event) {
  if (event.kind == Kind::AllocSummary) {
    const auto summary = batch.details_or<event::AllocSummary>(event, {});
    return {summary.count, summary.bytes};
  }
  const auto alloc = batch.details_or<event::Alloc>(event, {});
  const std::uint64_t weight = std::max<std::uint64_t>(alloc.weight, 1);
  if (weight > 1) ++samples_;
  return {weight, weight * alloc.size};
}

}  // namespace polytrace::analysis
