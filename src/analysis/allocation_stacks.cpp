// SPDX-License-Identifier: Apache-2.0
#include "analysis/allocation_stacks.hpp"

#include <algorithm>

namespace polytrace::analysis {

using event::Event;
using event::Kind;

// Calls are followed from the beginning, so that it does not matter how a trace is cut into
// batches, and until the first allocation that has a stack: then all that can have one do.
void AllocationStacks::decide(const Slice& slice) {
  if (!follows_calls_ || took_calls_) return;
  follows_calls_ = std::ranges::none_of(slice.others, [&](std::uint32_t i) {
    const Event& event = slice.batch.events[i];
    return event.kind == Kind::Alloc &&
           slice.batch.details_or<event::Alloc>(event, {}).stack.present();
  });
  if (!follows_calls_) calls_ = {};
}

std::uint32_t AllocationStacks::stack_of(const Slice& slice, const Event& event) {
  const event::Batch& batch = slice.batch;
  const event::Stack told = event.kind == Kind::Alloc
                                ? batch.details_or<event::Alloc>(event, {}).stack
                                : batch.details_or<event::AllocSummary>(event, {}).stack;
  if (told.present() || event.kind == Kind::AllocSummary || !follows_calls_)
    return tree_.intern(batch.list(told), slice.names);
  const std::uint32_t stack = slot(calls_, slice.threads[event.thread]).node(tree_, slice.names);
  took_calls_ |= stack != StackTree::kRoot;
  return stack;
}

Amount AllocationStacks::amount_of(const event::Batch& batch, const Event& event) {
  if (event.kind == Kind::AllocSummary) {
    const auto summary = batch.details_or<event::AllocSummary>(event, {});
    return {summary.count, summary.bytes};
  }
  const auto alloc = batch.details_or<event::Alloc>(event, {});
  if (alloc.weight > 1) ++samples_;
  return allocated(alloc);
}

}  // namespace polytrace::analysis
