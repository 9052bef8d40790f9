// SPDX-License-Identifier: Apache-2.0
// Stacks of Java threads as the VM tells them, in numbers of ours.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/common/stream/event_body.hpp"
#include "agent/jvm/facts/vm.hpp"

namespace polytrace::agent::jvm {

struct MethodInfo;

class StackFrames {
 public:
  StackFrames() = default;
  StackFrames(const StackFrames&) = delete;
  StackFrames& operator=(const StackFrames&) = delete;
  ~StackFrames();

  // Of a thread, the calling one for null; its frames are alive while this runs. At most `most`,
  // and the frame that says that there were more.
  void take(JNIEnv* env, jthread thread, std::size_t most);
  // Valid while this lives and until take().
  Lists lists() const;
  // Whether code of the VM's own called a frame that is nearer than the method's: it may make
  // another exception of one that leaves that frame.
  bool has_border_before(base::Id method) const;

 private:
  struct Room;
  class SpareRooms;

  void put(std::size_t at, const MethodInfo& info);
  void put_truncated();
  void leave_out_probe();

  std::size_t count_ = 0;
  Room* room_ = nullptr;  // for the most frames; null: take() found none
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
