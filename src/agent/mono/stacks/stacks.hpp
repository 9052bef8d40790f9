// SPDX-License-Identifier: Apache-2.0
// Managed stacks of the calling thread, for events that carry one.
#pragma once

#include <array>

#include "agent/common/stream/event_body.hpp"
#include "agent/mono/runtime/runtime.hpp"

namespace polytrace::agent::mono {

inline constexpr std::uint32_t kMostFrames = 256;

struct RuntimeWalk;

// The numbers of a stack's methods, outermost first; cut at the outer end.
class StackFrames {
 public:
  // Walks the stack where events carry stacks and the runtime is up; else stays absent.
  void walk();
  // The same for a callback that compiled code called through one function of the runtime: `frame`
  // is the callback's __builtin_frame_address(0).
  void walk_from(const void* frame);
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
  bool begin();
  void take(const RuntimeWalk& walk);
  std::uint32_t most_ = 0;
  std::uint32_t first_ = kMostFrames;
  bool present_ = false;
  std::array<base::Id, kMostFrames> frames_;
};

// Walks of walk_from() since the start, for tests: by ourselves, and of these those that the
// runtime walks otherwise (only counted with the option check-stacks).
struct WalkCounts {
  std::uint64_t own = 0;
  std::uint64_t wrong = 0;
};
WalkCounts walk_counts();

}  // namespace polytrace::agent::mono
