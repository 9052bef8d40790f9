// SPDX-License-Identifier: Apache-2.0
// Managed stacks of the calling thread, for events that carry one.
#pragma once

#include <array>

#include "agent/common/lists.hpp"
#include "agent/mono/runtime.hpp"

namespace polytrace::agent::mono {

inline constexpr std::uint32_t kMostFrames = 256;

// The numbers of a stack's methods, outermost first; cut at the outer end.
class StackFrames {
 public:
  // Walks the stack where events carry stacks and the runtime is up; else stays absent.
  void walk();
  // On a thread of the runtime, in a signal handler with its context.
  void walk_in_signal(const void* context);

  bool present() const { return present_; }
  Lists lists() const {
    Lists lists;
    lists.frames = {frames_.data() + first_, kMostFrames - first_};
    return lists;
  }
  event::Stack stack() const { return present_ ? whole_stack(lists()) : event::Stack{}; }

  // For walkers: the next frame outwards. False: no more are wanted.
  bool add(std::uint32_t method);

 private:
  std::uint32_t most_ = 0;
  std::uint32_t first_ = kMostFrames;
  bool present_ = false;
  std::array<base::Id, kMostFrames> frames_;
};

}  // namespace polytrace::agent::mono
