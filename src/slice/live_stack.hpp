// SPDX-License-Identifier: Apache-2.0
// One thread's stack as its Enter, Leave and Unwind events tell it: for events that carry no stack
// of their own. A call costs a few instructions; the tree is touched only when a stack is asked
// for.
#pragma once

#include <span>

#include "event/open_calls.hpp"
#include "slice/call_site.hpp"

namespace polytrace::slice {

class LiveStack {
 public:
  // Enter, Leave and Unwind events of the thread. One account for all threads of a pass.
  void follow(const event::Batch& batch, std::span<const event::Event> calls,
              event::CallAccount& account);
  // The stack as a node of `tree`: the same tree each time.
  std::uint32_t node(StackTree& tree, const Names& names) {
    return CallSites::stack_of(open(), tree, names);
  }

  struct Call : event::OpenCall {
    std::uint32_t stack;
  };
  // Outermost first, until the next follow().
  std::span<Call> open() { return calls_.all(); }

 private:
  event::OpenCalls<Call> calls_;
};

}  // namespace polytrace::slice
