// SPDX-License-Identifier: Apache-2.0
// Numbers the nodes of a call tree anew, so that what is equal stands in one order whatever gave
// the tree.
#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/calls/calltree.hpp"
#include "analysis/table/tree_order.hpp"

namespace polytrace::analysis {
namespace {

// The methods of which that is true, by name, then id; of those of one id by when it was given.
std::vector<std::uint32_t> methods_in_order(const std::vector<bool>& wanted, const Names& names) {
  struct Named {
    std::string name;
    base::Id id;
    std::uint32_t method;
    auto key() const { return std::tie(name, id, method); }
  };
  std::vector<Named> all;
  for (std::uint32_t i = 0; i < wanted.size(); ++i)
    if (wanted[i]) all.push_back({names.method_name(i), names.methods().id(i), i});
  std::ranges::sort(all, [](const Named& a, const Named& b) { return a.key() < b.key(); });
  std::vector<std::uint32_t> methods;
  methods.reserve(all.size());
  for (const Named& one : all) methods.push_back(one.method);
  return methods;
}

// By method: its place among those; NameTable::kNone for others.
std::vector<std::uint32_t> places_of(const std::vector<std::uint32_t>& methods, std::size_t all) {
  std::vector<std::uint32_t> places(all, NameTable::kNone);
  for (std::uint32_t i = 0; i < methods.size(); ++i) places[methods[i]] = i;
  return places;
}

// Gives nodes the numbers that they have where nodes are depth-first, children by their places, in
// `number` and to their callees, and their sizes. Callers have smaller numbers than what they call,
// so that this is known one caller after the other, without a walk from each node to another that
// is far. What a growing tree needed of a node, last_child and next, becomes a list of those it
// calls.
template <class PlaceOf>
void number_depth_first(CallTree::Nodes& nodes, const PlaceOf& place_of) {
  for (CallTree::Node& node : nodes) node.last_child = CallTree::kRoot, node.size = 1;
  for (auto i = static_cast<std::uint32_t>(nodes.size() - 1); i != CallTree::kRoot; --i) {
    CallTree::Node& caller = nodes[nodes[i].parent];
    caller.size += nodes[i].size;
    nodes[i].next = std::exchange(caller.last_child, i);
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> called;  // place, node
  nodes[CallTree::kRoot].number = CallTree::kRoot;
  for (const CallTree::Node& caller : nodes) {
    called.clear();
    for (std::uint32_t i = caller.last_child; i != CallTree::kRoot; i = nodes[i].next)
      called.emplace_back(place_of(nodes[i].method), i);
    if (called.size() > 1) std::ranges::sort(called);
    std::uint32_t number = caller.number + 1;
    for (const auto& [place, i] : called) {
      nodes[i].parent = caller.number;
      nodes[i].number = number;
      number += nodes[i].size;
    }
  }
}

// Each node goes to the place that is its number, without further memory, since a tree may be most
// of what there is. First to the stretch of places, of which each fits into a cache and is filled
// from its beginning on, then within it: to follow nodes to their places all over the tree would
// wait for memory at each.
void arrange(CallTree::Nodes& nodes) {
  // No power of two: the places that are filled would all be of one set of the cache.
  constexpr std::uint32_t kStretch = (1U << 13) + 1;
  std::vector<std::uint32_t> filled;  // by stretch: up to where
  for (std::uint32_t at = 0; at < nodes.size(); at += kStretch) filled.push_back(at);
  for (std::uint32_t stretch = 0; stretch < filled.size(); ++stretch) {
    const std::size_t end = std::min<std::size_t>(nodes.size(), (stretch + 1) * kStretch);
    while (filled[stretch] < end) {
      CallTree::Node node = nodes[filled[stretch]];
      for (std::uint32_t to = node.number / kStretch; to != stretch; to = node.number / kStretch) {
        std::swap(node, nodes[filled[to]]);
        __builtin_prefetch(&(nodes.data() + ++filled[to])->total, 1);  // the end of the next
      }
      nodes[filled[stretch]++] = node;
    }
  }
  for (std::uint32_t at = 0; at < nodes.size(); ++at)
    while (nodes[at].number != at) std::swap(nodes[at], nodes[nodes[at].number]);
}

}  // namespace

void CallTree::put_in_order(const Names& names) {
  Nodes& nodes = policy_.nodes;
  std::vector<bool> methods(names.methods().size());
  for (std::size_t i = kFirst; i < nodes.size(); ++i)
    if (nodes[i].method != Names::kOtherPaths) methods[nodes[i].method] = true;
  for (std::size_t i = 0; i < merged_.totals.size(); ++i)
    if (merged_.totals[i].calls != 0) methods[i] = true;
  places_ = places_of(methods_in_order(methods, names), methods.size());
  number_depth_first(nodes, [&](std::uint32_t method) {
    return method < places_.size() ? places_[method] : NameTable::kNone;
  });
  if (!busy_.empty()) {
    std::vector<std::uint32_t> places(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) places[i] = nodes[i].number;
    BusyTimes::rename(busy_, places);
  }
  arrange(nodes);
}

}  // namespace polytrace::analysis
