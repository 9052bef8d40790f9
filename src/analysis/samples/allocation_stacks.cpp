// SPDX-License-Identifier: Apache-2.0
#include "analysis/samples/allocation_stacks.hpp"

#include <algorithm>

namespace polytrace::analysis {

using event::Event;
using event::Kind;

// Calls tell stacks until the first allocation that has one: then all that can have one do.
void AllocationStacks::decide(const Slice& slice) {
  if (!takes_calls_ || took_calls_) return;
  takes_calls_ = std::ranges::none_of(slice.others, [&](std::uint32_t i) {
    const Event& event = slice.batch.events[i];
    return event.kind == Kind::Alloc &&
           slice.batch.details_or<event::Alloc>(event, {}).stack.present();
  });
}

std::uint32_t AllocationStacks::stack_of(const Slice& slice, std::uint32_t index) {
  const event::Batch& batch = slice.batch;
  const Event& event = batch.events[index];
  const event::Stack told = event.kind == Kind::Alloc
                                ? batch.details_or<event::Alloc>(event, {}).stack
                                : batch.details_or<event::AllocSummary>(event, {}).stack;
  if (told.present() || event.kind == Kind::AllocSummary || !takes_calls_ || slice.sites == nullptr)
    return tree_.intern(batch.list(told), slice.names);
  const std::uint32_t stack = own(slice.sites->stacks, slice.sites->by_event[index].stack);
  took_calls_ |= stack != StackTree::kRoot;
  return stack;
}

std::uint32_t AllocationStacks::own(const StackTree& calls, std::uint32_t stack) {
  if (own_.size() < calls.size()) own_.resize(calls.size(), NameTable::kNone);
  for (; own_[stack] == NameTable::kNone; stack = calls.parent(stack)) unknown_.push_back(stack);
  for (; !unknown_.empty(); unknown_.pop_back()) {
    const std::uint32_t next = unknown_.back();
    own_[next] = tree_.child(own_[stack], calls.method(next));
    stack = next;
  }
  return own_[stack];
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
