// SPDX-License-Identifier: Apache-2.0
// Managed stacks of the calling thread, for events that carry one.
#pragma once

#include <array>

#include "agent/common/runtime/introduction.hpp"
#include "agent/common/stream/event_body.hpp"
#include "agent/mono/runtime/runtime.hpp"

namespace polytrace::agent::mono {

struct RuntimeWalk;

// The numbers of a stack's methods, outermost first. What is cut off at the outer end has a frame
// that says so.
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
    lists.frames = {frames_.data() + first_, frames_.size() - first_};
    return lists;
  }
  event::Stack stack() const { return present_ ? whole_stack(lists()) : event::Stack{}; }

  // For walkers: the next frame outwards. False: it is one too many.
  bool add(std::uint32_t method);

 private:
  bool begin();
  void take(const RuntimeWalk& walk);
  void put(base::Id method) { frames_[--first_] = method; }
  void tell_cut();
  std::uint32_t most_ = 0;
  std::uint32_t first_ = kMostFrames + 1;
  bool present_ = false;
  bool is_cut_ = false;
  std::array<base::Id, kMostFrames + 1> frames_;
};

// Defines the frame for what signal handlers had to cut off: they may not.
void tell_cut_stacks();

// Walks of walk_from() since the start, for tests: by ourselves, and of these those that the
// runtime walks otherwise (only counted with the option check-stacks).
struct WalkCounts {
  std::uint64_t own = 0;
  std::uint64_t wrong = 0;
};
WalkCounts walk_counts();

}  // namespace polytrace::agent::mono
