// SPDX-License-Identifier: Apache-2.0
// Stacks of Java threads as the VM tells them, in numbers of ours.
#pragma once

#include <array>
#include <bitset>
#include <span>

#include "agent/common/stream/event_body.hpp"
#include "agent/jvm/facts/vm.hpp"

namespace polytrace::agent::jvm {

inline constexpr std::size_t kMostFrames = 512;

class StackFrames {
 public:
  // Of a thread, the calling one for null; its frames are alive while this runs. At most `most`.
  void take(JNIEnv* env, jthread thread, std::size_t most);
  // Valid while this lives and until take().
  Lists lists() const {
    Lists lists;
    lists.frames = std::span(frames_).first(count_);
    lists.frame_places = std::span(places_.all).first(count_);
    return lists;
  }
  // Whether code of the VM's own called a frame that is nearer than the method's: it may make
  // another exception of one that leaves that frame.
  bool has_border_before(base::Id method) const;

 private:
  // Not made before they are there: a stack is short, and the most frames are 12 KB.
  union Places {
    Places() {}
    event::FramePlace all[kMostFrames];
  };

  void leave_out_probe();

  std::size_t count_ = 0;
  std::array<base::Id, kMostFrames> frames_;
  std::bitset<kMostFrames> borders_;
  Places places_;
};

// 0: none.
base::Id number_of_method(JNIEnv* env, jmethodID method);
// Forgets which method is which, and its code: classes were unloaded or transformed, or a new
// recording begins.
void forget_methods();
// How often that was done.
std::uint64_t methods_epoch();
// Has that done whenever a class is unloaded, where this VM tells.
void watch_unloading();

}  // namespace polytrace::agent::jvm
