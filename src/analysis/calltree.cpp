// SPDX-License-Identifier: Apache-2.0
#include "analysis/calltree.hpp"

#include <utility>

#include "analysis/hot_methods.hpp"
#include "analysis/selected.hpp"
#include "analysis/text.hpp"
#include "analysis/tree_order.hpp"

namespace polytrace::analysis {

CallTree::CallTree(const Selection& selection, bool by_thread)
    : selection_(selection), policy_(selection, by_thread), walk_(selection) {
  policy_.nodes.resize(kFirst);
}

void CallTree::consume(const Slice& slice) {
  policy_.epoch = slice.names.method_epoch();
  walk_.consume(slice, policy_);
}

std::uint32_t CallTree::Policy::other_child(std::uint32_t parent, base::Id id, const Names& names) {
  if (parent == kUnplaced) return kUnplaced;
  const std::uint32_t method = names.methods().index(id);
  std::uint32_t node = index.find(parent, method, [&](std::uint32_t candidate) {
    return nodes[candidate].parent == parent && nodes[candidate].method == method;
  });
  if (node == ChildIndex::kNone) {
    if (nodes.size() == kMaxNodes) return kUnplaced;
    node = static_cast<std::uint32_t>(nodes.size());
    Node& made = nodes.emplace_back();
    made.method = method;
    made.parent = parent;
    index.put(node);
  }
  nodes[node].id = id;
  nodes[node].epoch = epoch;
  const std::uint32_t last = nodes[parent].last_child;
  if (last != kRoot) nodes[last].next = node;
  nodes[parent].last_child = node;
  return node;
}

std::uint32_t CallTree::Policy::root(std::uint32_t thread) {
  std::uint32_t& node = slot(roots, thread);
  if (node != kRoot) return node;
  if (nodes.size() == kMaxNodes) return kUnplaced;
  node = static_cast<std::uint32_t>(nodes.size());
  nodes.emplace_back().method = thread;
  return node;
}

void CallTree::finish(const Names&) {
  walk_.finish(policy_);
  policy_.index.clear();
  sum_up();
  if (selection_.fold_recursion) fold_recursion();
  if (!policy_.by_thread) sum_methods();
}

namespace {

// By node: whether the method is open already where it is called.
std::vector<bool> inner_calls(std::span<const CallTree::Node> nodes) {
  std::vector<bool> inner(nodes.size());
  std::vector<std::uint32_t> open;  // by method
  Children children(nodes);
  const auto enter = [&](std::uint32_t i) {
    if (i == CallTree::kUnplaced) return false;
    inner[i] = slot(open, nodes[i].method)++ != 0;
    return true;
  };
  walk_tree(children, enter, [&](std::uint32_t i) { --open[nodes[i].method]; });
  return inner;
}

}  // namespace

// A method that is on the path already becomes one with its node there. Inner calls count, their
// time is in that of the outermost one.
void CallTree::fold_recursion() {
  constexpr std::size_t kFarthest = 256;  // levels up; a recursion over more methods stays
  const std::vector<bool> inner = inner_calls(policy_.nodes);
  const std::vector<std::uint64_t> old_selfs = std::exchange(selfs_, {0, 0});
  const std::vector<Node> old = std::exchange(policy_.nodes, std::vector<Node>(kFirst));
  std::vector<Node>& nodes = policy_.nodes;
  nodes[kRoot].total = old[kRoot].total;
  std::vector<std::uint32_t> places(old.size(), kRoot);
  ChildIndex index;
  for (std::size_t i = kFirst; i < old.size(); ++i) {
    const std::uint32_t above = places[old[i].parent];
    std::uint32_t at = above;
    for (std::size_t n = 0; at >= kFirst && nodes[at].method != old[i].method; ++n)
      at = n == kFarthest ? kRoot : nodes[at].parent;
    if (at < kFirst)
      at = index.find(above, old[i].method, [&](std::uint32_t node) {
        return nodes[node].parent == above && nodes[node].method == old[i].method;
      });
    if (at == ChildIndex::kNone) {
      at = static_cast<std::uint32_t>(nodes.size());
      nodes.emplace_back().method = old[i].method;
      nodes[at].parent = above;
      selfs_.push_back(0);
      index.put(at);
    }
    places[i] = at;
    nodes[at].calls += old[i].calls;
    if (!inner[i]) nodes[at].total += old[i].total;
    selfs_[at] += old_selfs[i];
    nodes[at].least = std::min(nodes[at].least, old[i].least);
    nodes[at].most = std::max(nodes[at].most, old[i].most);
  }
}

// Parents have smaller numbers than their children: no recursion is needed.
void CallTree::sum_up() {
  std::vector<Node>& nodes = policy_.nodes;
  selfs_.resize(nodes.size());
  for (std::size_t i = kFirst; i < nodes.size(); ++i) {
    selfs_[i] += nodes[i].total;
    if (nodes[i].parent == kRoot) nodes[kRoot].total += nodes[i].total;
    else selfs_[nodes[i].parent] -= nodes[i].total;
  }
}

void CallTree::sum_methods() {
  const std::vector<Node>& nodes = policy_.nodes;
  std::vector<std::uint32_t> open;  // by method: nodes of it between the root and the walk
  for (std::size_t i = kFirst; i < nodes.size(); ++i) {
    if (nodes[i].method >= totals_.size()) totals_.resize(nodes[i].method + std::size_t{1});
    CallTotals& method = totals_[nodes[i].method];
    method.calls += nodes[i].calls;
    method.total += nodes[i].total;
    method.self += selfs_[i];
    method.least = std::min(method.least, nodes[i].least);
    method.most = std::max(method.most, nodes[i].most);
  }
  open.resize(totals_.size());
  Children children{std::span(nodes)};
  const auto enter = [&](std::uint32_t i) {
    if (i == kUnplaced) return false;
    if (open[nodes[i].method]++ == 0) totals_[nodes[i].method].elapsed += nodes[i].total;
    return true;
  };
  const auto leave = [&](std::uint32_t i) { --open[nodes[i].method]; };
  walk_tree(children, enter, leave);
  for (CallTotals& method : totals_) method.self = not_negative(method.self);
}

std::vector<Suspect> CallTree::suspects(const Names& names) const {
  return find_hot_methods(*this, selection_.subtract_waits ? 0 : waited(), names);
}

std::string CallTree::unplaced_note() const {
  return count_text(unplaced(), "call", "calls") +
         " on paths beyond the limit of the tree: not counted, their time is their callers'.";
}

}  // namespace polytrace::analysis
