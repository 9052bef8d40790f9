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

}  // namespace

void CallTree::put_in_order(const Names& names) {
  const std::vector<Node> old = std::exchange(policy_.nodes, std::vector<Node>(kFirst));
  const std::vector<std::uint64_t> old_selfs = std::exchange(selfs_, {});
  std::vector<bool> methods(names.methods().size());
  for (std::size_t i = kFirst; i < old.size(); ++i)
    if (old[i].method != Names::kOtherPaths) methods[old[i].method] = true;
  for (std::size_t i = 0; i < merged_.totals.size(); ++i)
    if (merged_.totals[i].calls != 0) methods[i] = true;
  places_ = places_of(methods_in_order(methods, names), methods.size());
  const auto place_of = [&](std::uint32_t node) {
    const std::uint32_t method = old[node].method;
    return method < places_.size() ? places_[method] : NameTable::kNone;
  };
  Children children{std::span<const Node>(old)};
  std::vector<std::uint32_t> numbers(old.size());  // by old ones
  policy_.nodes[kRoot] = old[kRoot];
  selfs_.push_back(old_selfs[kRoot]);
  std::ranges::sort(children.of(kRoot), {}, place_of);
  const auto enter = [&](std::uint32_t i) {
    std::ranges::sort(children.of(i), {}, place_of);
    numbers[i] = static_cast<std::uint32_t>(policy_.nodes.size());
    policy_.nodes.push_back(old[i]);
    policy_.nodes.back().parent = numbers[old[i].parent];
    selfs_.push_back(old_selfs[i]);
    return true;
  };
  walk_tree(children, enter, [](std::uint32_t) {});
}

}  // namespace polytrace::analysis
