// SPDX-License-Identifier: Apache-2.0
// What makes a call tree smaller once it is whole: helpers leave it, recursions become one.
#include <utility>

#include "analysis/calls/calltree.hpp"
#include "analysis/table/tree_order.hpp"
#include "analysis/table/words.hpp"

namespace polytrace::analysis {
namespace {

using Node = CallTree::Node;

// A tree that is made anew from the nodes of another, callers first.
class Remade {
 public:
  explicit Remade(CallTree::Nodes& nodes)
      : nodes_(nodes),
        old_(std::exchange(nodes, CallTree::Nodes(CallTree::kFirst))),
        places_(old_.size(), CallTree::kRoot) {
    nodes_[CallTree::kRoot].total = old_[CallTree::kRoot].total;
    nodes_[CallTree::kRoot].self = old_[CallTree::kRoot].self;
  }

  const CallTree::Nodes& old() const { return old_; }
  // Where the old node's caller went.
  std::uint32_t above(std::size_t node) const { return places_[old_[node].parent]; }
  void put(std::size_t node, std::uint32_t place) { places_[node] = place; }
  const Node& node(std::uint32_t place) const { return nodes_[place]; }
  std::uint64_t& self(std::uint32_t place) { return nodes_[place].self; }
  // By old node.
  std::span<const std::uint32_t> places() const { return places_; }

  std::uint32_t child(std::uint32_t above, std::uint32_t method) {
    return index_.child(nodes_, above, method);
  }
  // Adds an old node's figures; its total, unless a caller's has it.
  void add(std::size_t node, std::uint32_t place, bool with_total) {
    nodes_[place].calls += old_[node].calls;
    if (with_total) nodes_[place].total += old_[node].total;
    nodes_[place].self += old_[node].self;
    places_[node] = place;
  }

 private:
  CallTree::Nodes& nodes_;
  const CallTree::Nodes old_;
  std::vector<std::uint32_t> places_;  // by old node
  base::ChildIndex index_;
};

}  // namespace

// What a helper calls is called by the helper's caller. Its own time becomes the caller's, or that
// of the root or thread where there is none.
void CallTree::leave_out_helpers(const Names& names) {
  std::vector<bool> leaving(policy_.nodes.size());
  bool any = false;
  for (auto i = kFirst; i < leaving.size(); ++i)
    any |= leaving[i] = !is_thread(i) && names.is_helper(policy_.nodes[i].method);
  if (!any) return;
  Remade tree(policy_.nodes);
  for (std::size_t i = kFirst; i < tree.old().size(); ++i) {
    const std::uint32_t above = tree.above(i);
    if (!leaving[i]) {
      tree.add(i, tree.child(above, tree.old()[i].method), true);
      continue;
    }
    tree.put(i, above);
    tree.self(above) += tree.old()[i].self;
    helpers_.calls += tree.old()[i].calls;
    helpers_.self += tree.old()[i].self;
    if (above == kRoot || is_thread(above)) helpers_.unowned += tree.old()[i].self;
  }
  BusyTimes::rename(busy_, tree.places());
}

// A method that is on the path already becomes one with its node there. Inner calls count, their
// time is in that of the outermost one.
void CallTree::fold_recursion() {
  constexpr std::size_t kFarthest = 256;  // levels up; a recursion over more methods stays
  const std::vector<bool> inner = inner_calls(nodes());
  Remade tree(policy_.nodes);
  for (std::size_t i = kFirst; i < tree.old().size(); ++i) {
    const std::uint32_t method = tree.old()[i].method;
    std::uint32_t at = tree.above(i);
    for (std::size_t n = 0; at >= kFirst && tree.node(at).method != method; ++n)
      at = n == kFarthest ? kRoot : tree.node(at).parent;
    if (at < kFirst) at = tree.child(tree.above(i), method);
    tree.add(i, at, !inner[i]);
  }
  BusyTimes::rename(busy_, tree.places());
}

}  // namespace polytrace::analysis
