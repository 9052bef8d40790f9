// SPDX-License-Identifier: Apache-2.0
#include "analysis/live_stack.hpp"

namespace polytrace::analysis {

void LiveStack::unwind_to(Id method) {
  const std::size_t lowest = frames_.size() > kDeepest ? frames_.size() - kDeepest : 0;
  for (std::size_t i = frames_.size(); i > lowest; --i)
    if (frames_[i - 1].method == method) {
      frames_.resize(i - 1);
      return;
    }
}

std::uint32_t LiveStack::site(const Names& names) const {
  for (std::size_t i = frames_.size(); i > 0; --i) {
    const std::uint32_t method = names.methods().index(frames_[i - 1].method);
    if (!names.is_helper(method)) return method;
  }
  return NameTable::kNone;
}

std::uint32_t LiveStack::node(StackTree& tree, const Names& names) {
  std::size_t known = frames_.size();
  while (known > 0 && frames_[known - 1].node == kUnknown) --known;
  std::uint32_t node = known == 0 ? StackTree::kRoot : frames_[known - 1].node;
  for (std::size_t i = known; i < frames_.size(); ++i)
    frames_[i].node = node = tree.child(node, names.methods().index(frames_[i].method));
  return node;
}

}  // namespace polytrace::analysis
