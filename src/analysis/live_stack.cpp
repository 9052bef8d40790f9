// SPDX-License-Identifier: Apache-2.0
#include "analysis/live_stack.hpp"

#include <algorithm>

namespace polytrace::analysis {

void LiveStack::follow(std::span<const event::Event> calls) {
  constexpr std::size_t kFirst = 16;
  std::size_t depth = depth_;
  for (const event::Event& call : calls) {
    if (call.kind != event::Kind::Enter) {
      const bool is_innermost = depth != 0 && frames_[depth - 1].method == call.id;
      depth = is_innermost ? depth - 1 : unwound(depth, call.id);
      continue;
    }
    if (depth == frames_.size()) [[unlikely]]
      frames_.resize(std::max(kFirst, depth * 2));
    frames_[depth++] = {call.id, kUnknown};
  }
  depth_ = depth;
}

std::size_t LiveStack::unwound(std::size_t depth, Id method) const {
  const std::size_t lowest = depth > kDeepest ? depth - kDeepest : 0;
  for (std::size_t i = depth; i > lowest; --i)
    if (frames_[i - 1].method == method) return i - 1;
  return depth;
}

std::uint32_t LiveStack::site(const Names& names) const {
  for (std::size_t i = depth_; i > 0; --i) {
    const std::uint32_t method = names.methods().index(frames_[i - 1].method);
    if (!names.is_helper(method)) return method;
  }
  return NameTable::kNone;
}

std::uint32_t LiveStack::node(StackTree& tree, const Names& names) {
  std::size_t known = depth_;
  while (known > 0 && frames_[known - 1].node == kUnknown) --known;
  std::uint32_t node = known == 0 ? StackTree::kRoot : frames_[known - 1].node;
  for (std::size_t i = known; i < depth_; ++i)
    frames_[i].node = node = tree.child(node, names.methods().index(frames_[i].method));
  return node;
}

}  // namespace polytrace::analysis
