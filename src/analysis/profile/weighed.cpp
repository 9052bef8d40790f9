// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/weighed.hpp"

#include <algorithm>
#include <numeric>

namespace polytrace::analysis {
namespace {

constexpr std::uint32_t kGone = ~std::uint32_t{0};
// Stacks may be a million frames deep: callers further away are not looked for.
constexpr std::size_t kFarthest = 256;
constexpr std::size_t kMostNodes = std::size_t{1} << 22;

std::uint64_t sum_within(std::uint64_t a, std::uint64_t b) {
  return a + b < a ? ~std::uint64_t{0} : a + b;
}

// The figures of a node and of all below it.
std::vector<WeighedNode> with_all_below(const WeighedTree& tree) {
  std::vector<WeighedNode> sums = tree.nodes;
  for (std::size_t i = sums.size(); i-- > 1;) sums[sums[i].parent].add(sums[i]);
  return sums;
}

void add_upwards(WeighedMaker& maker, const WeighedTree& tree, std::uint32_t node,
                 const WeighedNode& figures) {
  std::uint32_t at = WeighedTree::kRoot;
  for (std::size_t n = 0; node != WeighedTree::kRoot && n < kFarthest; ++n) {
    if (n != 0 && maker.size() >= kMostNodes) break;
    at = maker.child(at, tree.nodes[node].method);
    node = tree.nodes[node].parent;
  }
  maker.node(at).add(figures);
}

// The most valuable nodes first, callers before what they called: a kept node's caller is kept.
std::vector<std::uint32_t> by_value(const std::vector<std::uint64_t>& totals) {
  std::vector<std::uint32_t> order(totals.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::uint32_t node) { return totals[node]; });
  return order;
}

}  // namespace

std::vector<std::uint64_t> WeighedTree::totals() const {
  std::vector<std::uint64_t> totals;
  totals.reserve(nodes.size());
  for (const WeighedNode& node : nodes) totals.push_back(value(node));
  for (std::size_t i = nodes.size(); i-- > 1;)
    totals[nodes[i].parent] = sum_within(totals[nodes[i].parent], totals[i]);
  return totals;
}

WeighedTree without_frames(const WeighedTree& tree, const MethodTest& matches,
                           std::uint32_t unowned) {
  WeighedMaker maker(tree);
  std::vector<std::uint32_t> places(tree.nodes.size());
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    const WeighedNode& node = tree.nodes[i];
    const std::uint32_t above = places[node.parent];
    const bool goes = matches(node.method);
    places[i] = goes ? above : maker.child(above, node.method);
    if (goes && node.weight == 0 && (tree.counts_calls || node.count == 0)) continue;
    const std::uint32_t at =
        places[i] == WeighedTree::kRoot ? maker.child(WeighedTree::kRoot, unowned) : places[i];
    if (goes && tree.counts_calls) maker.node(at).add_weight(node);
    else maker.node(at).add(node);
  }
  return maker.take();
}

WeighedTree without_recursion(const WeighedTree& tree) {
  WeighedMaker maker(tree);
  std::vector<std::uint32_t> places(tree.nodes.size());
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    const std::uint32_t above = places[tree.nodes[i].parent];
    std::uint32_t at = above;
    for (std::size_t n = 0;
         at != WeighedTree::kRoot && maker.node(at).method != tree.nodes[i].method; ++n)
      at = n == kFarthest ? WeighedTree::kRoot : maker.node(at).parent;
    places[i] = at == WeighedTree::kRoot ? maker.child(above, tree.nodes[i].method) : at;
    maker.node(places[i]).add(tree.nodes[i]);
  }
  return maker.take();
}

WeighedTree bottom_up(const WeighedTree& tree) {
  WeighedMaker maker(tree);
  for (std::uint32_t i = 1; i < tree.nodes.size(); ++i)
    if (tree.nodes[i].weight != 0 || tree.nodes[i].count != 0)
      add_upwards(maker, tree, i, tree.nodes[i]);
  return maker.take();
}

WeighedTree callers_of(const WeighedTree& tree, std::uint32_t method) {
  const auto sums = with_all_below(tree);
  WeighedMaker maker(tree);
  std::vector<bool> inside(tree.nodes.size());  // of a call of it
  for (std::uint32_t i = 1; i < tree.nodes.size(); ++i) {
    const bool is_inner = inside[tree.nodes[i].parent];
    inside[i] = is_inner || tree.nodes[i].method == method;
    if (is_inner || !inside[i]) continue;
    WeighedNode figures = sums[i];
    if (tree.counts_calls) figures.count = tree.nodes[i].count;
    add_upwards(maker, tree, i, figures);
  }
  return maker.take();
}

WeighedTree callees_of(const WeighedTree& tree, std::uint32_t method) {
  WeighedMaker maker(tree);
  std::vector<std::uint32_t> places(tree.nodes.size());
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    const std::uint32_t above = places[tree.nodes[i].parent];
    if (above == WeighedTree::kRoot && tree.nodes[i].method != method) continue;
    places[i] = maker.child(above, tree.nodes[i].method);
    maker.node(places[i]).add(tree.nodes[i]);
  }
  return maker.take();
}

WeighedTree below_path(const WeighedTree& tree, std::span<const std::uint32_t> path) {
  if (path.empty()) return tree;
  WeighedMaker maker(tree);
  std::vector<std::uint32_t> depths(tree.nodes.size(), kGone);  // that agree with the path
  std::vector<std::uint32_t> places(tree.nodes.size());
  depths[WeighedTree::kRoot] = 0;
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    const WeighedNode& node = tree.nodes[i];
    const std::uint32_t depth = depths[node.parent];
    if (depth == kGone || (depth < path.size() && path[depth] != node.method)) continue;
    depths[i] = std::min<std::uint32_t>(depth + 1, static_cast<std::uint32_t>(path.size()));
    if (depth + 1 < path.size()) continue;
    places[i] = maker.child(places[node.parent], node.method);
    maker.node(places[i]).add(node);
  }
  return maker.take();
}

CutTree cut_to(const WeighedTree& tree, std::uint64_t most, std::uint64_t least) {
  const std::vector<std::uint64_t> totals = tree.totals();
  std::vector<bool> kept(totals.size());
  std::uint64_t room = std::max<std::uint64_t>(most, 1);
  for (const std::uint32_t node : by_value(totals)) {
    if (node != WeighedTree::kRoot && (room <= 1 || totals[node] < least)) break;
    kept[node] = true;
    if (node != WeighedTree::kRoot) --room;
  }
  kept[WeighedTree::kRoot] = true;
  const auto sums = with_all_below(tree);
  WeighedMaker maker(tree);
  CutTree cut;
  std::vector<std::uint32_t> places(totals.size(), kGone);
  std::vector<std::uint32_t> stand_ins(totals.size(), kGone);  // by old node: where it is counted
  places[WeighedTree::kRoot] = WeighedTree::kRoot;
  maker.node(WeighedTree::kRoot).add(tree.nodes[WeighedTree::kRoot]);
  cut.hidden.push_back(0);
  for (std::size_t i = 1; i < totals.size(); ++i) {
    const std::uint32_t parent = tree.nodes[i].parent;
    if (kept[i]) {
      places[i] = maker.child(places[parent], tree.nodes[i].method);
      maker.node(places[i]).add(tree.nodes[i]);
    } else {
      const bool is_top = kept[parent];
      stand_ins[i] = is_top ? maker.child(places[parent], kMoreFrames) : stand_ins[parent];
      if (is_top) maker.node(stand_ins[i]).add(sums[i]), cut.cut_value += totals[i];
      ++cut.cut;
    }
    cut.hidden.resize(maker.size());
    if (!kept[i]) ++cut.hidden[stand_ins[i]];
  }
  cut.tree = maker.take();
  cut.totals = cut.tree.totals();
  return cut;
}

}  // namespace polytrace::analysis
