// SPDX-License-Identifier: Apache-2.0
// Stacks of Java threads as the VM tells them, in numbers of ours.
#pragma once

#include <array>
#include <span>

#include "agent/common/lists.hpp"
#include "agent/jvm/vm.hpp"

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

 private:
  // Not made before they are there: a stack is short, and the most frames are 12 KB.
  union Places {
    Places() {}
    event::FramePlace all[kMostFrames];
  };

  std::size_t count_ = 0;
  std::array<base::Id, kMostFrames> frames_;
  Places places_;
};

// Forgets which method is which: classes were unloaded, or a new recording begins.
void forget_methods();
// Has that done whenever a class is unloaded, where this VM tells.
void watch_unloading();

}  // namespace polytrace::agent::jvm
