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
  Nodes& nodes = policy_.nodes;
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
  for (const CallFigures::Method& method : figures.methods) {
    policy_.sketches.push_back(method.sketch);
    policy_.bounds.push_back({method.least, method.most});
  }
  told_ = std::move(figures);
}

// A slice makes no more nodes than its batch has events.
void CallTree::consume(const Slice& slice) {
  if (policy_.nodes.size() + slice.batch.events.size() > most_nodes_) merge_lightest(slice.names);
  policy_.make_room(most_nodes_);
  policy_.epoch = slice.names.method_epoch();
  policy_.busy.consume(slice);
  const bool watched = policy_.clock.subtracts() || policy_.own != nullptr || policy_.busy.wanted();
  if (watched && !policy_.watched)
    walk_.for_each_frame([](Policy::Frame& frame) { frame.excluded = 0; });
  policy_.watched = watched;
  walk_.consume(slice, policy_);
}

// A tree that has become large gets all its room at once, which is taken as it is filled: to grow
// by copies would take three times its memory for a moment.
void CallTree::Policy::make_room(std::uint32_t most_nodes) {
  constexpr std::size_t kLarge = std::size_t{1} << 17;
  if (nodes.size() < kLarge || nodes.capacity() >= most_nodes) return;
  try {
    nodes.reserve(most_nodes);
  } catch (const std::bad_alloc&) {
    return;  // so it grows by copies
  }
}

std::uint32_t CallTree::Policy::other_child(std::uint32_t parent, base::Id id, const Names& names) {
  const std::uint32_t method = names.methods().index(id);
  const std::uint32_t node = children.child(nodes, parent, method);
  nodes[node].id = id;
  nodes[node].epoch = epoch;
  return node;
}

void CallTree::Policy::add_methods(std::uint32_t method) {
  sketches.resize(method + sketches.size() / 2 + 256);
  bounds.resize(sketches.size());
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
  for (const Policy::Ended& call : policy_.ended)
    if (call.method != NameTable::kNone) policy_.sketches[call.method].add(call.duration);
  busy_ = policy_.busy.finish();
  policy_.children.clear();
  sum_up();
  if (!selection_.show_helpers) leave_out_helpers(names);
  if (!policy_.by_thread) put_in_order(names);
  // A folded call has no time of its own in the tree, but has it as one of its method's calls.
  if (!policy_.by_thread) sum_methods();
  if (!selection_.fold_recursion) return;
  fold_recursion();
  if (!policy_.by_thread) put_in_order(names);
}

// Parents have smaller numbers than their children: no recursion is needed. What stands for a
// thread, or for all of them, has no time of its own.
void CallTree::sum_up() {
  Nodes& nodes = policy_.nodes;
  nodes[kRoot].self = 0;
  for (std::size_t i = kFirst; i < nodes.size(); ++i) {
    nodes[i].self = nodes[i].total;
    const std::uint32_t parent = nodes[i].parent;
    if (parent == kRoot || is_thread(parent)) nodes[kRoot].total += nodes[i].total;
    else nodes[parent].self -= nodes[i].total;
  }
}

// REQUIRES: nodes are in order.
void CallTree::sum_methods() {
  const Nodes& nodes = policy_.nodes;
  totals_ = std::move(merged_.totals);
  for (std::size_t i = kFirst; i < nodes.size(); ++i) {
    if (nodes[i].method == Names::kOtherPaths) continue;
    if (nodes[i].method >= totals_.size()) totals_.resize(nodes[i].method + std::size_t{1});
    CallTotals& method = totals_[nodes[i].method];
    method.calls += nodes[i].calls;
    method.total += nodes[i].total;
    method.self += nodes[i].self;
    const BusyTimes::Times times = busy(static_cast<std::uint32_t>(i));
    method.busy += times.busy;
    method.waiting += times.waiting;
  }
  const std::vector<bool> inner = inner_calls_in_order(std::span(nodes));
  for (std::size_t i = kFirst; i < nodes.size(); ++i)
    if (!inner[i] && nodes[i].method != Names::kOtherPaths)
      totals_[nodes[i].method].elapsed += nodes[i].total;
  for (std::size_t i = 0; i < totals_.size(); ++i) {
    totals_[i].self = not_negative(totals_[i].self);
    if (totals_[i].calls == 0 || i >= policy_.bounds.size()) continue;
    totals_[i].least = policy_.bounds[i].least;
    totals_[i].most = policy_.bounds[i].most;
  }
}

const std::vector<CallEdge>& CallTree::edges() const {
  if (!edges_.empty()) return edges_;
  CallEdges edges = merged_.edges;
  const auto nodes = this->nodes();
  for (std::size_t i = kFirst; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    if (node.calls == 0 || node.method == Names::kOtherPaths) continue;
    const Node& caller = nodes[node.parent];
    edges.add({node.method, caller.method, node.calls, node.total, caller.calls});
  }
  return edges_ = edges.all();
}

std::vector<std::string> CallTree::limits() const {
  if (merged_.paths == 0) return {};
  return {
      fmt::format("the call tree has room for {}: the lightest became \"(other paths)\"; "
                  "figures by method are whole",
                  base::count_text(most_nodes_, "path", "paths"))};
}

}  // namespace polytrace::analysis
