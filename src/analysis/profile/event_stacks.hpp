// SPDX-License-Identifier: Apache-2.0
// The stacks of events that are no calls, as nodes of a tree: what profiles are made of, here and
// elsewhere. One thread at a time.
#pragma once

#include <algorithm>

#include "analysis/profile/tree.hpp"
#include "slice/call_site.hpp"

namespace polytrace::analysis {

// Of a sample: its methods, and a frame for what is none innermost.
inline std::uint32_t sampled_stack(const Slice& slice, const event::Sample& sample,
                                   StackTree& stacks) {
  const auto frames = slice.batch.list(sample.stack);
  std::uint32_t stack = StackTree::kRoot;
  const auto is_method = [&](base::Id frame) { return slice.names.is_method(frame); };
  if (std::ranges::all_of(frames, is_method)) {
    stack = stacks.intern(frames, slice.names);
  } else {
    for (const base::Id frame : frames)
      if (is_method(frame)) stack = stacks.child(stack, slice.names.methods().index(frame));
  }
  if (frames.empty() || !is_method(frames.back()))
    stack = stacks.child(stack, ProfileTree::kUnmanaged);
  return stack;
}

// Of an event with a stack; where it was not recorded, the call around it.
inline std::uint32_t stack_or_site(const Slice& slice, std::uint32_t index,
                                   const event::Stack& stack, StackTree& stacks) {
  const auto frames = slice.batch.list(stack);
  const std::uint32_t site = frames.empty() ? call_around(slice, index) : NameTable::kNone;
  return site == NameTable::kNone ? stacks.intern(frames, slice.names)
                                  : stacks.child(StackTree::kRoot, site);
}

}  // namespace polytrace::analysis
