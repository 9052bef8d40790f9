// SPDX-License-Identifier: Apache-2.0
// Makes room in a call tree that is full.
#include <algorithm>

#include "analysis/calls/calltree.hpp"
#include "analysis/table/tree_order.hpp"
#include "analysis/table/words.hpp"
#include "base/slot.hpp"

namespace polytrace::analysis {

// The heaviest quarter of a tree stays, with whatever is open and the callers of both. What leaves
// becomes one node below the caller that stays; its figures by method and by edge go to merged_, as
// sum_methods() and edges() would have had them.
class CallTree::Merge {
 public:
  Merge(CallTree& tree, const Names& names)
      : tree_(tree), nodes_(tree.policy_.nodes), names_(names), stays_(nodes_.size()) {}

  void run() {
    tree_.policy_.children.clear();  // before more is needed
    decide();
    keep();
    sum();
    for (std::uint32_t i = kFirst; i < nodes_.size(); ++i) take(i);
    tree_.walk_.for_each_frame([&](Policy::Frame& frame) { frame.node = places_[frame.node]; });
    tree_.policy_.busy.rename(places_);
    for (std::uint32_t& root : tree_.policy_.roots) root = places_[root];
    nodes_ = std::move(kept_);
    tree_.policy_.children = std::move(children_);
  }

 private:
  // What a node that leaves becomes part of.
  struct Way {
    std::uint32_t stays = kRoot;  // the nearest caller that stays
    std::uint32_t owner = kRoot;  // itself, or of a hidden helper the nearest caller that is none
    bool is_covered = false;      // its time is in that of a caller that leaves, too
  };

  bool is_helper(std::uint32_t i) const {
    return i != kRoot && !tree_.selection_.show_helpers && !tree_.is_thread(i) &&
           names_.is_helper(nodes_[i].method);
  }
  bool is_other(std::uint32_t i) const { return nodes_[i].method == Names::kOtherPaths; }
  // Time; where no times are told, calls.
  static std::uint64_t weight(const Node& node) { return not_negative(node.total) + node.calls; }

  std::uint64_t weight_of_rank(std::size_t rank) const;
  void decide();
  void keep();
  void sum();
  void take(std::uint32_t i);
  void take_helper(std::uint32_t i, Node& other);
  void take_method(std::uint32_t i);
  std::uint32_t child(std::uint32_t parent, std::uint32_t method) {
    return children_.child(kept_, parent, method);
  }

  CallTree& tree_;
  Nodes& nodes_;
  const Names& names_;
  std::vector<bool> stays_;
  Nodes kept_ = Nodes(kFirst);
  TreeChildren children_;
  std::vector<std::uint32_t> places_;  // in kept_; of those that leave, what they become part of
  std::vector<std::uint64_t> selfs_;
  std::vector<bool> inner_;
  std::vector<Way> ways_;
};

std::uint64_t CallTree::Merge::weight_of_rank(std::size_t rank) const {
  std::vector<std::uint64_t> weights(nodes_.size());
  std::ranges::transform(nodes_, weights.begin(), weight);
  const auto at = weights.begin() + static_cast<std::ptrdiff_t>(std::min(rank, nodes_.size() - 1));
  std::ranges::nth_element(weights, at, std::ranges::greater());
  return *at;
}

void CallTree::Merge::decide() {
  stays_[kRoot] = true;
  tree_.walk_.for_each_frame([&](const Policy::Frame& frame) { stays_[frame.node] = true; });
  const std::uint64_t light = weight_of_rank(tree_.most_nodes_ / 4);
  for (auto i = static_cast<std::uint32_t>(nodes_.size() - 1); i >= kFirst; --i) {
    if (tree_.is_thread(i) || (weight(nodes_[i]) > light && !is_other(i))) stays_[i] = true;
    if (stays_[i]) stays_[nodes_[i].parent] = true;
  }
  for (std::uint32_t i = kFirst; i < nodes_.size(); ++i)
    if (is_other(i)) stays_[i] = stays_[nodes_[i].parent];
}

void CallTree::Merge::keep() {
  places_.assign(nodes_.size(), kRoot);
  for (std::uint32_t i = kFirst; i < nodes_.size(); ++i) {
    if (!stays_[i]) continue;
    const Node& old = nodes_[i];
    if (tree_.is_thread(i)) kept_.emplace_back().method = old.method;
    const auto last = static_cast<std::uint32_t>(kept_.size() - 1);
    places_[i] = tree_.is_thread(i) ? last : child(places_[old.parent], old.method);
    Node& made = kept_[places_[i]];
    made.calls = old.calls;
    made.total = old.total;
  }
}

void CallTree::Merge::sum() {
  selfs_.assign(nodes_.size(), 0);
  for (std::uint32_t i = kFirst; i < nodes_.size(); ++i) {
    selfs_[i] += nodes_[i].total;
    selfs_[nodes_[i].parent] -= nodes_[i].total;
  }
  inner_ = inner_calls(std::span<const Node>(nodes_));
  ways_.resize(nodes_.size());
}

void CallTree::Merge::take(std::uint32_t i) {
  const std::uint32_t parent = nodes_[i].parent;
  const Way& above = ways_[parent];
  ways_[i].owner = is_helper(i) ? above.owner : i;
  if (stays_[i]) return;
  ways_[i].stays = stays_[parent] ? parent : above.stays;
  ways_[i].is_covered = !stays_[parent] && (above.is_covered || !is_helper(parent));
  places_[i] = child(places_[ways_[i].stays], Names::kOtherPaths);
  Node& other = kept_[places_[i]];
  if (is_helper(i)) return take_helper(i, other);
  other.calls += nodes_[i].calls;
  if (!ways_[i].is_covered) other.total += nodes_[i].total;
  if (is_other(i)) return;
  ++tree_.merged_.paths;
  if (!tree_.policy_.by_thread) take_method(i);
}

// A helper's own time is its owner's: what is in no total of those that leave, the owner or a
// helper that stays has already.
void CallTree::Merge::take_helper(std::uint32_t i, Node& other) {
  const std::uint32_t owner = ways_[i].owner;
  tree_.helpers_.calls += nodes_[i].calls;
  if (!ways_[i].is_covered && is_helper(ways_[i].stays)) return;
  tree_.helpers_.self += selfs_[i];
  if (owner == kRoot || tree_.is_thread(owner)) {
    tree_.helpers_.unowned += selfs_[i];
    other.total += selfs_[i];
  } else if (!stays_[owner] && !tree_.policy_.by_thread) {
    base::slot(tree_.merged_.totals, nodes_[owner].method).self += selfs_[i];
  }
}

void CallTree::Merge::take_method(std::uint32_t i) {
  const Node& node = nodes_[i];
  CallTotals& method = base::slot(tree_.merged_.totals, node.method);
  method.calls += node.calls;
  method.total += node.total;
  method.self += selfs_[i];
  if (const auto& times = tree_.policy_.busy.times(); i < times.size()) {
    method.busy += times[i].busy;
    method.waiting += times[i].waiting;
  }
  if (!inner_[i]) method.elapsed += node.total;
  const Node& caller = nodes_[ways_[nodes_[i].parent].owner];
  tree_.merged_.edges.add({node.method, caller.method, node.calls, node.total, caller.calls});
}

void CallTree::merge_lightest(const Names& names) { Merge(*this, names).run(); }

}  // namespace polytrace::analysis
