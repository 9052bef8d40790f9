// SPDX-License-Identifier: Apache-2.0
// One thread's stack as its Enter, Leave and Unwind events tell it: for events that carry no stack
// of their own. A call costs a few instructions; the tree is touched only when a stack is asked
// for.
#pragma once

#include <vector>

#include "analysis/stacks.hpp"

namespace polytrace::analysis {

class LiveStack {
 public:
  void enter(Id method) { frames_.push_back({method, kUnknown}); }
  // Leaving a method that is not innermost ends the frames above it; one that is not on the stack
  // is ignored.
  void leave(Id method) {
    if (!frames_.empty() && frames_.back().method == method) frames_.pop_back();
    else unwind_to(method);
  }
  // Takes the event if it is a call's; whether it was.
  bool follow(const event::Event& event) {
    switch (event.kind) {
      case event::Kind::Enter: enter(event.id); return true;
      case event::Kind::Leave:
      case event::Kind::Unwind: leave(event.id); return true;
      default: return false;
    }
  }
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

  void unwind_to(Id method);

  std::vector<Frame> frames_;
};

}  // namespace polytrace::analysis
