// SPDX-License-Identifier: Apache-2.0
#include "analysis/calls/calltree.hpp"

#include <fmt/format.h>

#include "analysis/table/tree_order.hpp"
#include "analysis/table/words.hpp"
#include "base/slot.hpp"
#include "base/text/figure_text.hpp"

namespace polytrace::analysis {

CallTree::CallTree(const Selection& selection, bool by_thread, std::uint32_t most_nodes)
    : selection_(selection),
      policy_(selection, by_thread),
      walk_(selection),
      most_nodes_(most_nodes) {
  policy_.nodes.resize(kFirst);
}

CallTree::CallTree(const Selection& selection, CallFigures figures) : CallTree(selection) {
  std::vector<Node>& nodes = policy_.nodes;
  nodes.resize(std::max<std::size_t>(kFirst, figures.paths.size()));
  for (std::size_t i = figures.paths.size(); i-- > kFirst;) {
    const CallFigures::Path& path = figures.paths[i];
    nodes[i].method = path.method;
    nodes[i].parent = path.caller;
    nodes[i].calls = path.calls;
    nodes[i].total += path.self;
    if (path.caller != kRoot) nodes[path.caller].total += nodes[i].total;
  }
  figures.paths = {};
  for (const CallFigures::Method& method : figures.methods)
    policy_.sketches.push_back(method.sketch);
  told_ = std::move(figures);
}

// A slice makes no more nodes than its batch has events.
void CallTree::consume(const Slice& slice) {
  if (policy_.nodes.size() + slice.batch.events.size() > most_nodes_) merge_lightest(slice.names);
  policy_.epoch = slice.names.method_epoch();
  walk_.consume(slice, policy_);
}

std::uint32_t CallTree::Policy::other_child(std::uint32_t parent, base::Id id, const Names& names) {
  const std::uint32_t method = names.methods().index(id);
  const std::uint32_t node = index.child(nodes, parent, method);
  nodes[node].id = id;
  nodes[node].epoch = epoch;
  const std::uint32_t last = nodes[parent].last_child;
  if (last != kRoot) nodes[last].next = node;
  nodes[parent].last_child = node;
  return node;
}

std::uint32_t CallTree::Policy::root(std::uint32_t thread) {
  std::uint32_t& node = base::slot(roots, thread);
  if (node != kRoot) return node;
  node = static_cast<std::uint32_t>(nodes.size());
  nodes.emplace_back().method = thread;
  return node;
}

void CallTree::finish(const Names& names) {
  walk_.finish(policy_);
  policy_.index.clear();
  sum_up();
  if (!selection_.show_helpers) leave_out_helpers(names);
  // A folded call has no time of its own in the tree, but has it as one of its method's calls.
  if (!policy_.by_thread) sum_methods();
  if (selection_.fold_recursion) fold_recursion();
  if (!policy_.by_thread) put_in_order(names);
}

// Parents have smaller numbers than their children: no recursion is needed. What stands for a
// thread, or for all of them, has no time of its own.
void CallTree::sum_up() {
  std::vector<Node>& nodes = policy_.nodes;
  selfs_.resize(nodes.size());
  for (std::size_t i = kFirst; i < nodes.size(); ++i) {
    selfs_[i] += nodes[i].total;
    const std::uint32_t parent = nodes[i].parent;
    if (parent == kRoot || is_thread(parent)) nodes[kRoot].total += nodes[i].total;
    else selfs_[parent] -= nodes[i].total;
  }
}

void CallTree::sum_methods() {
  const std::vector<Node>& nodes = policy_.nodes;
  totals_ = std::move(merged_.totals);
  for (std::size_t i = kFirst; i < nodes.size(); ++i) {
    if (nodes[i].method == Names::kOtherPaths) continue;
    if (nodes[i].method >= totals_.size()) totals_.resize(nodes[i].method + std::size_t{1});
    CallTotals& method = totals_[nodes[i].method];
    method.calls += nodes[i].calls;
    method.total += nodes[i].total;
    method.self += selfs_[i];
    method.least = std::min(method.least, nodes[i].least);
    method.most = std::max(method.most, nodes[i].most);
  }
  const std::vector<bool> inner = inner_calls(std::span(nodes));
  for (std::size_t i = kFirst; i < nodes.size(); ++i)
    if (!inner[i] && nodes[i].method != Names::kOtherPaths)
      totals_[nodes[i].method].elapsed += nodes[i].total;
  for (CallTotals& method : totals_) method.self = not_negative(method.self);
  for (std::size_t i = 0; told_ && i < std::min(totals_.size(), told_->methods.size()); ++i) {
    totals_[i].least = told_->methods[i].least;
    totals_[i].most = told_->methods[i].most;
  }
}

std::vector<CallEdge> CallTree::edges() const {
  CallEdges edges = merged_.edges;
  const auto nodes = this->nodes();
  for (std::size_t i = kFirst; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    if (node.calls == 0 || node.method == Names::kOtherPaths) continue;
    const Node& caller = nodes[node.parent];
    edges.add({node.method, caller.method, node.calls, node.total, caller.calls});
  }
  return edges.all();
}

std::vector<std::string> CallTree::limits() const {
  if (merged_.paths == 0) return {};
  return {
      fmt::format("the call tree has room for {}: the lightest became \"(other paths)\"; "
                  "figures by method are whole",
                  base::count_text(most_nodes_, "path", "paths"))};
}

}  // namespace polytrace::analysis
