// SPDX-License-Identifier: Apache-2.0
#include "agent/mono/stacks/stacks.hpp"

#include <algorithm>

#include "agent/mono/runtime/definitions.hpp"
#include "agent/mono/runtime/settings.hpp"
#include "agent/mono/stacks/own_walk.hpp"

namespace polytrace::agent::mono {
namespace {

mono_bool take_frame(MonoMethod* method, int32_t, int32_t, mono_bool, void* data) {
  auto& walk = *static_cast<RuntimeWalk*>(data);
  if (method == nullptr) return 0;
  walk.is_cut = walk.count == walk.most;
  if (!walk.is_cut) walk.methods[walk.count++] = method;
  return walk.is_cut ? 1 : 0;
}

mono_bool take_frame_in_signal(MonoMethod* method, MonoDomain*, void*, int, void* data) {
  auto& frames = *static_cast<StackFrames*>(data);
  if (method == nullptr) return 0;
  return frames.add(method_number_in_signal(method)) ? 0 : 1;
}

// Names are asked after the walk: that may load classes, and a walk may not.
void walk_by_runtime(RuntimeWalk& walk, std::uint32_t most) {
  walk.most = most;
  walk.count = 0;
  walk.is_cut = false;
  mono_stack_walk_no_il(take_frame, &walk);
}

bool is_same(const RuntimeWalk& walk, const Lists& lists) {
  if (walk.count != lists.frames.size()) return false;
  for (std::uint32_t i = 0; i < walk.count; ++i)
    if (known_frame(walk.methods[i]) != lists.frames[walk.count - 1 - i]) return false;
  return true;
}

std::atomic<std::uint64_t> g_own = 0;
std::atomic<std::uint64_t> g_wrong = 0;
std::atomic<bool> g_cut_in_signal = false;

// An instantiation of shared code may be new to us: then the walk teaches it, and is right.
void count_walk(const StackFrames& frames, std::uint32_t most, const void* frame) {
  RuntimeWalk walk;
  walk_by_runtime(walk, most);
  g_own.fetch_add(1, std::memory_order_relaxed);
  if (is_same(walk, frames.lists())) return;
  learn_walk(frame, walk);
  if (!is_same(walk, frames.lists())) g_wrong.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

void tell_cut_stacks() {
  if (g_cut_in_signal.exchange(false, std::memory_order_relaxed)) truncated_frame();
}

WalkCounts walk_counts() {
  return {g_own.load(std::memory_order_relaxed), g_wrong.load(std::memory_order_relaxed)};
}

bool StackFrames::add(std::uint32_t method) {
  is_cut_ = frames_.size() - first_ == most_;
  if (!is_cut_) put(method);
  return !is_cut_;
}

void StackFrames::tell_cut() {
  if (is_cut_) put(truncated_frame());
}

bool StackFrames::begin() {
  if (!settings().stacks || !is_runtime_ready()) return false;
  present_ = true;
  most_ = std::min(settings().common.stack_depth, kMostFrames);
  return most_ != 0;
}

void StackFrames::take(const RuntimeWalk& walk) {
  first_ = static_cast<std::uint32_t>(frames_.size());
  for (std::uint32_t i = 0; i < walk.count; ++i) put(frame_number(walk.methods[i]));
  is_cut_ = walk.is_cut;
  tell_cut();
}

void StackFrames::walk() {
  if (!begin()) return;
  RuntimeWalk walk;
  walk_by_runtime(walk, most_);
  take(walk);
}

void StackFrames::walk_from(const void* frame) {
  if (!begin()) return;
  std::uintptr_t stopped = 0;
  const OwnWalk result = walk_own(frame, *this, stopped);
  if (result == OwnWalk::done) {
    if (settings().check_stacks) count_walk(*this, most_, frame);
    return tell_cut();
  }
  RuntimeWalk walk;
  walk_by_runtime(walk, most_);
  if (result == OwnWalk::unknown) learn_walk(frame, walk);
  else if (!walk.is_cut && is_same(walk, lists())) learn_base(stopped);
  take(walk);
}

void StackFrames::walk_in_signal(const void* context) {
  present_ = true;
  most_ = std::min(settings().common.stack_depth, kMostFrames);
  if (most_ == 0) return;
  mono_stack_walk_async_safe(take_frame_in_signal, const_cast<void*>(context), this);
  if (!is_cut_) return;
  put(kTruncatedFrame);
  g_cut_in_signal.store(true, std::memory_order_relaxed);
}

}  // namespace polytrace::agent::mono
