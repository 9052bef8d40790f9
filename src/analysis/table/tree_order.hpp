// SPDX-License-Identifier: Apache-2.0
// Walks a call tree depth-first without native recursion: paths may be millions of calls deep.
#pragma once

#include <span>
#include <vector>

#include "analysis/table/words.hpp"
#include "base/slot.hpp"

namespace polytrace::analysis {

// The children of every node of a tree that is given by its parents (each smaller than its child;
// the root is 0). Children in order of their numbers.
class Children {
 public:
  template <class Node>
  explicit Children(std::span<const Node> nodes) : first_(nodes.size() + 1), list_(nodes.size()) {
    for (std::size_t i = 1; i < nodes.size(); ++i) ++first_[nodes[i].parent + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    std::vector<std::uint32_t> fill(first_.begin(), first_.end() - 1);
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      list_[fill[nodes[i].parent]++] = static_cast<std::uint32_t>(i);
    }
  }
  std::span<std::uint32_t> of(std::uint32_t node) {
    return std::span(list_).subspan(first_[node], first_[node + 1] - first_[node]);
  }

 private:
  std::vector<std::uint32_t> first_;  // by node; the end is the next one's
  std::vector<std::uint32_t> list_;
};

// Calls enter(node) and leave(node) around the subtree of every node but the root. enter() tells
// whether to go into it (else leave() is not called), and may reorder the children of its node.
template <class Enter, class Leave>
void walk_tree(Children& children, Enter&& enter, Leave&& leave) {
  struct Step {
    std::uint32_t node;
    std::uint32_t done;  // children
  };
  std::vector<Step> path = {{0, 0}};
  while (!path.empty()) {
    Step& step = path.back();
    const auto next = children.of(step.node);
    if (step.done < next.size()) {
      const std::uint32_t node = next[step.done++];
      if (enter(node)) path.push_back({node, 0});
    } else {
      if (step.node != 0) leave(step.node);
      path.pop_back();
    }
  }
}

// By node of a tree of calls: whether its method is open already where it is called.
template <class Node>
std::vector<bool> inner_calls(std::span<const Node> nodes) {
  std::vector<bool> inner(nodes.size());
  std::uint32_t methods = 0;
  for (std::size_t i = 1; i < nodes.size(); ++i)
    if (nodes[i].method != Names::kOtherPaths) methods = std::max(methods, nodes[i].method + 1);
  std::vector<std::uint32_t> open(methods);  // nodes of it between the root and the walk
  Children children(nodes);
  const auto enter = [&](std::uint32_t i) {
    if (nodes[i].method == Names::kOtherPaths) return false;
    inner[i] = open[nodes[i].method]++ != 0;
    return true;
  };
  walk_tree(children, enter, [&](std::uint32_t i) { --open[nodes[i].method]; });
  return inner;
}

// The same of a tree whose nodes are in depth-first order, which needs no list of children.
template <class Node>
std::vector<bool> inner_calls_in_order(std::span<const Node> nodes) {
  std::vector<bool> inner(nodes.size());
  std::vector<std::uint32_t> open;  // by method: nodes of it between the root and the walk
  std::vector<std::uint32_t> path;
  for (std::uint32_t i = 1; i < nodes.size(); ++i) {
    for (; !path.empty() && path.back() != nodes[i].parent; path.pop_back())
      --open[nodes[path.back()].method];
    if (nodes[i].method == Names::kOtherPaths) continue;  // nothing is below it
    inner[i] = base::slot(open, nodes[i].method)++ != 0;
    path.push_back(i);
  }
  return inner;
}

}  // namespace polytrace::analysis
