// SPDX-License-Identifier: Apache-2.0
// A tree of stacks with all figures of its places: what rules, views from other ends and cuts are
// made on. Its frames are numbers of any kind that its maker has. Pure functions; thread-safe.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "analysis/table/words.hpp"
#include "base/child_index.hpp"

namespace polytrace::analysis {

struct WeighedNode {
  std::uint32_t parent = 0;  // smaller than the node's own number
  std::uint32_t method = NameTable::kNone;
  std::uint64_t weight = 0;  // its own, without what is below it; so are all
  std::uint64_t count = 0;
  std::uint64_t blocked = 0;  // of the weight, where that is time; so are the next two
  std::uint64_t waiting = 0;
  std::uint64_t paused = 0;

  void add(const WeighedNode& more) {
    count += more.count;
    add_weight(more);
  }
  void add_weight(const WeighedNode& more) {
    weight += more.weight;
    blocked += more.blocked;
    waiting += more.waiting;
    paused += more.paused;
  }
};

struct WeighedTree {
  static constexpr std::uint32_t kRoot = 0;

  std::vector<WeighedNode> nodes = std::vector<WeighedNode>(1);  // [0] is the root
  // Counts are of calls of the frame itself: they go with it when it goes. Others count what
  // happened there: they stay with the caller.
  bool counts_calls = true;
  bool is_count = false;  // what is asked about is the count

  std::uint64_t value(const WeighedNode& node) const { return is_count ? node.count : node.weight; }
  // By node, with all below; saturates.
  std::vector<std::uint64_t> totals() const;
};

// Makes another tree of one, callers first.
class WeighedMaker {
 public:
  explicit WeighedMaker(const WeighedTree& like) {
    tree_.counts_calls = like.counts_calls;
    tree_.is_count = like.is_count;
  }
  std::uint32_t child(std::uint32_t above, std::uint32_t method) {
    return index_.child(tree_.nodes, above, method);
  }
  WeighedNode& node(std::uint32_t number) { return tree_.nodes[number]; }
  std::size_t size() const { return tree_.nodes.size(); }
  WeighedTree take() { return std::move(tree_); }

 private:
  WeighedTree tree_;
  base::ChildIndex index_;
};

using MethodTest = std::function<bool(std::uint32_t method)>;

// Frames that match count for their callers; what has none, for `unowned` below the root.
WeighedTree without_frames(const WeighedTree& tree, const MethodTest& matches,
                           std::uint32_t unowned);
// A method below itself is one with it.
WeighedTree without_recursion(const WeighedTree& tree);
// From each frame that has something of its own to its callers, the nearest 256.
WeighedTree bottom_up(const WeighedTree& tree);
// Of the outermost calls of a method, with all below them: who called it, upwards; and what was
// below, the method first.
WeighedTree callers_of(const WeighedTree& tree, std::uint32_t method);
WeighedTree callees_of(const WeighedTree& tree, std::uint32_t method);
// What is below this path, which is one frame below the root of it; nothing where it is not there.
WeighedTree below_path(const WeighedTree& tree, std::span<const std::uint32_t> path);

// The heaviest nodes: at most `most`, of at least `least`. What is cut stands in a node of this
// frame below its caller.
inline constexpr std::uint32_t kMoreFrames = NameTable::kNone - 3;
struct CutTree {
  WeighedTree tree{};
  std::vector<std::uint64_t> totals{};  // by node
  std::vector<std::uint32_t> hidden{};  // by node: how many it stands for, or 0
  std::uint64_t cut = 0;                // nodes
  std::uint64_t cut_value = 0;
};
CutTree cut_to(const WeighedTree& tree, std::uint64_t most, std::uint64_t least);

}  // namespace polytrace::analysis
