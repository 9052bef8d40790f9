// SPDX-License-Identifier: Apache-2.0
#include "agent/coreclr/calls/stacks.hpp"

#include <algorithm>

#include "agent/coreclr/runtime/definitions.hpp"
#include "agent/coreclr/runtime/runtime.hpp"
#include "agent/coreclr/runtime/settings.hpp"

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
  is_cut_ = false;
  present_ = true;
  has_places_ = settings().line_trace;
  if (has_places_) places_.resize(frames_.size());
  ask(info::kDoStackSnapshot, thread, &StackFrames::on_frame, kPlain, this, nullptr, 0);
}

HResult StackFrames::on_frame(RuntimeId function, RuntimeId ip, RuntimeId, std::uint32_t,
                              std::uint8_t*, void* self) {
  auto& stack = *static_cast<StackFrames*>(self);
  if (function == 0) return kOk;
  stack.is_cut_ = stack.count_ >= stack.most_;
  if (stack.is_cut_) return kFailed;  // enough
  stack.frames_[stack.count_] = function;
  if (stack.has_places_) stack.places_[stack.count_] = {.ip = ip};
  ++stack.count_;
  return kOk;
}

void StackFrames::resolve() {
  for (std::uint32_t i = 0; i < count_; ++i) frames_[i] = running_method(frames_[i]);
  if (is_cut_) {
    if (has_places_) places_[count_] = {};
    frames_[count_++] = truncated_frame();
  }
  std::reverse(frames_.begin(), frames_.begin() + count_);
  if (has_places_) std::reverse(places_.begin(), places_.begin() + count_);
}

}  // namespace polytrace::agent::coreclr
