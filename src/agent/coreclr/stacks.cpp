// SPDX-License-Identifier: Apache-2.0
#include "agent/coreclr/stacks.hpp"

#include <algorithm>

#include "agent/coreclr/definitions.hpp"
#include "agent/coreclr/runtime.hpp"
#include "agent/coreclr/settings.hpp"

namespace polytrace::agent::coreclr {

void StackFrames::walk() {
  if (!settings().stacks) return;
  gather(0, settings().common.stack_depth);
  resolve();
}

// A thread without managed frames has an empty stack, and that is told.
void StackFrames::gather(RuntimeId thread, std::uint32_t most) {
  constexpr std::uint32_t kPlain = 0;
  most_ = std::min(most, kMostFrames);
  count_ = 0;
  present_ = true;
  ask(info::kDoStackSnapshot, thread, &StackFrames::on_frame, kPlain, this, nullptr, 0);
}

HResult StackFrames::on_frame(RuntimeId function, RuntimeId, RuntimeId, std::uint32_t,
                              std::uint8_t*, void* self) {
  auto& stack = *static_cast<StackFrames*>(self);
  if (function == 0) return kOk;
  if (stack.count_ >= stack.most_) return kFailed;  // enough
  stack.frames_[stack.count_++] = function;
  return kOk;
}

void StackFrames::resolve() {
  const auto end = frames_.begin() + count_;
  std::for_each(frames_.begin(), end, [](base::Id& frame) { frame = method_number(frame); });
  std::reverse(frames_.begin(), end);
}

}  // namespace polytrace::agent::coreclr
