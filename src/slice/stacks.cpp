// SPDX-License-Identifier: Apache-2.0
#include "slice/stacks.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include "base/slot.hpp"
#include "base/text/figure_text.hpp"

namespace polytrace::slice {

namespace {

// What is known by its hash is looked for in the tree again, once in so many stacks.
constexpr std::size_t kMostKnown = std::size_t{1} << 21;

}  // namespace

std::uint32_t StackTree::child(std::uint32_t parent, std::uint32_t method) {
  if (size() < most_nodes_) [[likely]]
    return known_child(parent, method);
  // Nothing is below those.
  if (other_ != kRoot && nodes_[parent].parent == other_) return other_child(method);
  const std::uint32_t known = index_.known(nodes_, parent, method);
  return known != base::ChildIndex::kNone ? known : other_child(method);
}

std::uint32_t StackTree::other_child(std::uint32_t method) {
  if (other_ == kRoot) other_ = known_child(kRoot, Names::kOtherPaths);
  if (method >= Names::kOtherPaths) return known_child(other_, method);  // no method
  std::uint32_t& node = base::slot(others_, method);
  if (node == kRoot) node = known_child(other_, method);
  return node;
}

std::vector<std::string> StackTree::limits() const {
  if (size() < most_nodes_) return {};
  return {
      fmt::format("a tree of stacks has room for {}: later ones are under \"(other paths)\"; "
                  "figures by innermost method are whole",
                  base::count_text(most_nodes_, "frame", "frames"))};
}

std::uint32_t StackTree::intern(std::span<const Id> frames, const Names& names) {
  if (frames.empty()) return kRoot;
  if (epoch_ != names.method_epoch() || known_.size() == kMostKnown) {
    known_.clear();
    epoch_ = names.method_epoch();
  }
  const std::uint64_t key =
      XXH3_64bits_withSeed(frames.data(), frames.size_bytes(), base::process_seed());
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  std::uint32_t node = kRoot;
  for (const Id frame : frames) node = child(node, names.methods().index(frame));
  known_.emplace(key, node);
  return node;
}

VisibleStacks::VisibleStacks(const StackTree& all, const Names& names, bool show_helpers)
    : all_(all) {
  for (std::uint32_t node = 1; !show_helpers && !hides_ && node < all.size(); ++node)
    hides_ = names.is_helper(all.method(node));
  if (!hides_) return;
  nodes_.resize(all.size(), StackTree::kRoot);
  for (std::uint32_t node = 1; node < all.size(); ++node) {
    const std::uint32_t parent = nodes_[all.parent(node)];
    const std::uint32_t method = all.method(node);
    const bool hidden = names.is_helper(method);
    nodes_[node] = hidden ? parent : tree_.child(parent, method);
  }
}

std::uint32_t VisibleStacks::site(std::uint32_t stack) const {
  const std::uint32_t at = node(stack);
  return at == StackTree::kRoot ? NameTable::kNone : tree().method(at);
}

std::string site_name(std::uint32_t method, const Names& names) {
  return method == NameTable::kNone ? "(no stack recorded)" : names.method_name(method);
}

}  // namespace polytrace::slice
