// SPDX-License-Identifier: Apache-2.0
#include "agent/mono/stacks.hpp"

#include <algorithm>

#include "agent/mono/definitions.hpp"
#include "agent/mono/settings.hpp"

namespace polytrace::agent::mono {
namespace {

// Names are asked after the walk: that may load classes, and a walk may not.
struct Walk {
  std::uint32_t most;
  std::uint32_t count = 0;
  std::array<MonoMethod*, kMostFrames> methods;
};

mono_bool take_frame(MonoMethod* method, int32_t, int32_t, mono_bool, void* data) {
  auto& walk = *static_cast<Walk*>(data);
  if (method != nullptr && walk.count < walk.most) walk.methods[walk.count++] = method;
  return walk.count == walk.most ? 1 : 0;
}

mono_bool take_frame_in_signal(MonoMethod* method, MonoDomain*, void*, int, void* data) {
  auto& frames = *static_cast<StackFrames*>(data);
  if (method == nullptr) return 0;
  return frames.add(method_number_in_signal(method)) ? 0 : 1;
}

std::uint32_t most_frames() { return std::min(settings().common.stack_depth, kMostFrames); }

}  // namespace

bool StackFrames::add(std::uint32_t method) {
  frames_[--first_] = method;
  return kMostFrames - first_ < most_;
}

void StackFrames::walk() {
  if (!settings().stacks || !is_runtime_ready()) return;
  present_ = true;
  most_ = most_frames();
  Walk walk;
  walk.most = most_;
  mono_stack_walk_no_il(take_frame, &walk);
  for (std::uint32_t i = 0; i < walk.count; ++i) add(method_number(walk.methods[i]));
}

void StackFrames::walk_in_signal(const void* context) {
  present_ = true;
  most_ = most_frames();
  if (most_ == 0) return;
  mono_stack_walk_async_safe(take_frame_in_signal, const_cast<void*>(context), this);
}

}  // namespace polytrace::agent::mono
