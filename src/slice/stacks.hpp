// SPDX-License-Identifier: Apache-2.0
// Call stacks as the nodes of one tree: a stack is its innermost frame's node, whose parents are
// the callers. Equal stacks are one node, so figures by stack are plain vectors. A tree that is
// full has one more path for each method, "(other paths) > method": what is told by innermost
// method stays whole. One thread at a time.
#pragma once

#include <span>
#include <vector>

#include "base/child_index.hpp"
#include "base/seeded_hash.hpp"
#include "slice/names.hpp"

namespace polytrace::slice {

class StackTree {
 public:
  static constexpr std::uint32_t kRoot = 0;  // the empty stack
  static constexpr std::uint32_t kMaxNodes = std::uint32_t{1} << 20;

  StackTree() = default;
  explicit StackTree(std::uint32_t most_nodes) : most_nodes_(most_nodes) {}

  // The node of `method` (an index of Names::methods()) called from `parent`.
  std::uint32_t child(std::uint32_t parent, std::uint32_t method);
  // The node of a recorded stack, outermost frame first. A few nanoseconds for a known one.
  std::uint32_t intern(std::span<const Id> frames, const Names& names);

  // Parents have smaller numbers than their children. REQUIRES: node is not the root.
  std::uint32_t parent(std::uint32_t node) const { return nodes_[node].parent; }
  std::uint32_t method(std::uint32_t node) const { return nodes_[node].method; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  // In plain text, where the tree was full; as Analysis::limits().
  std::vector<std::string> limits() const;

 private:
  struct Node {
    std::uint32_t parent = kRoot;
    std::uint32_t method = NameTable::kNone;
  };

  std::uint32_t known_child(std::uint32_t parent, std::uint32_t method) {
    return index_.child(nodes_, parent, method);
  }

  std::uint32_t other_child(std::uint32_t method);

  std::uint32_t most_nodes_ = kMaxNodes;
  std::vector<Node> nodes_{Node()};
  base::ChildIndex index_;
  std::uint32_t other_ = kRoot;        // "(other paths)", once the tree was full
  std::vector<std::uint32_t> others_;  // by method: below it
  base::IdMap<std::uint32_t> known_;   // by hash of the frames
  std::uint32_t epoch_ = 0;            // in which known_ holds
};

// The stacks of a tree, which lives as long, as people want to see them: without runtime helpers,
// unless asked for.
class VisibleStacks {
 public:
  VisibleStacks(const StackTree& all, const Names& names, bool show_helpers);

  // The original one where nothing is hidden.
  const StackTree& tree() const { return hides_ ? tree_ : all_; }
  // The node in tree() of a stack of the original tree.
  std::uint32_t node(std::uint32_t stack) const { return hides_ ? nodes_[stack] : stack; }
  // The method of the innermost visible frame, NameTable::kNone when there is none.
  std::uint32_t site(std::uint32_t stack) const;

 private:
  const StackTree& all_;
  bool hides_ = false;
  StackTree tree_;
  std::vector<std::uint32_t> nodes_;
};

// A site's name for people.
std::string site_name(std::uint32_t method, const Names& names);

}  // namespace polytrace::slice
