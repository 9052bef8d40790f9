// SPDX-License-Identifier: Apache-2.0
// A stack of methods as states: an attribute with the depth (null for 0), below it "1", "2" ...
// with the methods, outermost first. One thread at a time.
#pragma once

#include <span>
#include <vector>

#include "analysis/states/derive/world.hpp"

namespace polytrace::analysis::states {

class StackStates {
 public:
  // What lies deeper has no attribute of its own.
  static constexpr std::size_t kDeepest = 100000;

  explicit StackStates(Key key = kNoKey) : key_(key) {}

  bool has_key() const { return key_ != kNoKey; }
  std::size_t depth() const { return methods_.size(); }
  std::uint32_t top() const { return methods_.empty() ? kNone : methods_.back(); }

  void push(World& world, std::uint32_t method);
  // The first `depth` levels stay.
  void cut(World& world, std::size_t depth);
  // Becomes that stack: only what differs is written.
  void become(World& world, std::span<const std::uint32_t> methods);

 private:
  Key level(World& world, std::size_t depth);
  void show_depth(World& world);

  Key key_;
  std::vector<std::uint32_t> methods_;
  std::vector<Key> levels_;
};

}  // namespace polytrace::analysis::states
