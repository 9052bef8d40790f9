// SPDX-License-Identifier: Apache-2.0
#include "analysis/states/derive/stack_states.hpp"

#include <algorithm>

namespace polytrace::analysis::states {

Key StackStates::level(World& world, std::size_t depth) {
  if (depth == levels_.size()) levels_.push_back(world.writer.key(key_, std::to_string(depth + 1)));
  return levels_[depth];
}

void StackStates::show_depth(World& world) {
  const auto depth = static_cast<std::int64_t>(methods_.size());
  world.writer.set(key_, depth == 0 ? Value::null() : Value::of(depth));
}

void StackStates::push(World& world, std::uint32_t method) {
  const std::size_t depth = methods_.size();
  methods_.push_back(method);
  show_depth(world);
  if (depth < kDeepest)
    world.writer.set(level(world, depth), Value::text(world.method_name(method)));
}

void StackStates::cut(World& world, std::size_t depth) {
  if (depth >= methods_.size()) return;
  for (std::size_t i = std::min(methods_.size(), kDeepest); i > depth; --i)
    world.writer.set(levels_[i - 1], Value::null());
  methods_.resize(depth);
  show_depth(world);
}

void StackStates::become(World& world, std::span<const std::uint32_t> methods) {
  const auto same = std::ranges::mismatch(methods_, methods);
  const auto kept = static_cast<std::size_t>(same.in1 - methods_.begin());
  for (std::size_t i = kept; i < std::min(methods.size(), kDeepest); ++i)
    world.writer.set(level(world, i), Value::text(world.method_name(methods[i])));
  for (std::size_t i = methods.size(); i < std::min(methods_.size(), kDeepest); ++i)
    world.writer.set(levels_[i], Value::null());
  if (kept == methods.size() && kept == methods_.size()) return;
  methods_.assign(methods.begin(), methods.end());
  show_depth(world);
}

}  // namespace polytrace::analysis::states
