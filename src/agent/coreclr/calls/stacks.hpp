// SPDX-License-Identifier: Apache-2.0
// Managed stacks, for events that carry one.
#pragma once

#include <array>
#include <vector>

#include "agent/common/runtime/introduction.hpp"
#include "agent/common/stream/event_body.hpp"
#include "agent/coreclr/runtime/abi.hpp"

namespace polytrace::agent::coreclr {

class StackFrames {
 public:
  // The calling thread's, in a callback, where events carry stacks; else it stays absent.
  void walk();
  // Another thread's, while the runtime is suspended: gathers the runtime's ids only. `most` frames
  // from the inner end.
  void gather(RuntimeId thread, std::uint32_t most);
  // After gather(), when threads run again: asks for the methods' numbers. A stack that was cut
  // gets a frame that says so.
  void resolve();
  // As before gather().
  void clear() { present_ = false; }

  bool present() const { return present_; }
  Lists lists() const {
    Lists lists;
    lists.frames = {frames_.data(), present_ ? count_ : 0};
    if (has_places_) lists.frame_places = {places_.data(), present_ ? count_ : 0};
    return lists;
  }
  event::Stack stack() const { return present_ ? whole_stack(lists()) : event::Stack{}; }

 private:
  static HResult on_frame(RuntimeId function, RuntimeId ip, RuntimeId frame, std::uint32_t size,
                          std::uint8_t* context, void* self);

  std::uint32_t most_ = 0;
  std::uint32_t count_ = 0;
  bool present_ = false;
  bool is_cut_ = false;  // there were more frames
  bool has_places_ = false;
  // Innermost first, until resolve().
  std::array<base::Id, kMostFrames + 1> frames_;
  std::vector<event::FramePlace> places_;  // where has_places_
};

}  // namespace polytrace::agent::coreclr
