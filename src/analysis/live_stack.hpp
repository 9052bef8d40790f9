// SPDX-License-Identifier: Apache-2.0
// One thread's stack as its Enter, Leave and Unwind events tell it: for events that carry no stack
// of their own. A call costs a few instructions; the tree is touched only when a stack is asked
// for.
#pragma once

#include <span>
#include <vector>

#include "analysis/stacks.hpp"

namespace polytrace::analysis {

class LiveStack {
 public:
  // Enter, Leave and Unwind events. Leaving a method that is not innermost ends the frames above
  // it; one that is not on the stack is ignored.
  void follow(std::span<const event::Event> calls);
  // The innermost method, helpers aside; NameTable::kNone where nothing is open.
  std::uint32_t site(const Names& names) const;
  // The stack as a node of `tree`: the same tree each time.
  std::uint32_t node(StackTree& tree, const Names& names);

 private:
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
  // How far down a left method is looked for: recorders write the leaves of all frames, so
  // mismatches are shallow, and hostile ones must stay cheap.
  static constexpr std::size_t kDeepest = 512;
  struct Frame {
    Id method;
    std::uint32_t node;
  };

  // How many frames stay.
  std::size_t unwound(std::size_t depth, Id method) const;

  std::vector<Frame> frames_;  // there is room for more than are open
  std::size_t depth_ = 0;
};

}  // namespace polytrace::analysis
