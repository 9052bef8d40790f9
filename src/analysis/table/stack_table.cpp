// SPDX-License-Identifier: Apache-2.0
#include "analysis/table/stack_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"

namespace polytrace::analysis {
namespace {

using Nodes = std::vector<std::uint32_t>;

// The visible tree with its figures.
struct Weighed {
  const StackTree& tree;
  std::vector<Amount> own;
  std::vector<Amount> whole;  // with everything called from there
};

Weighed weigh(const VisibleStacks& stacks, std::span<const Amount> amounts) {
  Weighed out{stacks.tree(), std::vector<Amount>(stacks.tree().size()), {}};
  for (std::uint32_t stack = 0; stack < amounts.size(); ++stack)
    out.own[stacks.node(stack)].merge(amounts[stack]);
  out.whole = out.own;
  for (std::uint32_t node = out.tree.size() - 1; node > 0; --node)
    out.whole[out.tree.parent(node)].merge(out.whole[node]);
  return out;
}

// Which stacks have a frame whose name is wanted.
std::vector<bool> named(const StackTree& tree, const Names& names, const Selection& selection) {
  std::vector<bool> out(tree.size(), selection.name.is_any());
  if (selection.name.is_any()) return out;
  for (std::uint32_t node = 1; node < tree.size(); ++node)
    out[node] = out[tree.parent(node)] || keeps(selection, names.method_name(tree.method(node)));
  return out;
}

// Wanted stacks with something of their own, heaviest first.
Nodes heaviest(const Weighed& weighed, const std::vector<bool>& wanted) {
  Nodes out;
  for (std::uint32_t node = 1; node < weighed.tree.size(); ++node)
    if (weighed.own[node].count > 0 && wanted[node]) out.push_back(node);
  std::stable_sort(out.begin(), out.end(), [&](std::uint32_t a, std::uint32_t b) {
    return weighed.own[a].weight > weighed.own[b].weight;
  });
  return out;
}

// Children of each node that leads to one of `leaves`, the heaviest child last: popped first.
std::vector<Nodes> paths(const Weighed& weighed, const Nodes& leaves) {
  std::vector<Nodes> children(weighed.tree.size());
  std::vector<bool> reached(weighed.tree.size());
  for (std::uint32_t node : leaves)
    for (; node != StackTree::kRoot && !reached[node]; node = weighed.tree.parent(node)) {
      reached[node] = true;
      children[weighed.tree.parent(node)].push_back(node);
    }
  for (Nodes& list : children)
    std::sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) {
      const auto left = weighed.whole[a].weight, right = weighed.whole[b].weight;
      return left != right ? left < right : a > b;
    });
  return children;
}

void add_rows(Table& table, const Weighed& weighed, const std::vector<Nodes>& children,
              const Names& names) {
  struct Visit {
    std::uint32_t node;
    std::uint64_t depth;
  };
  std::vector<Visit> open;
  const auto push_children = [&](std::uint32_t node, std::uint64_t depth) {
    for (const std::uint32_t child : children[node]) open.push_back({child, depth});
  };
  push_children(StackTree::kRoot, 0);
  while (!open.empty()) {
    const auto [node, depth] = open.back();
    open.pop_back();
    const Amount& whole = weighed.whole[node];
    const Amount& own = weighed.own[node];
    table.rows.push_back({depth, names.method_name(weighed.tree.method(node)), whole.count,
                          whole.weight, own.count, own.weight});
    push_children(node, depth + 1);
  }
}

ColumnInfo own_of(const ColumnInfo& column) {
  return {"self_" + column.key, "Self " + column.title, column.unit};
}

}  // namespace

void fill_stack_tree(Table& table, const VisibleStacks& stacks, std::span<const Amount> amounts,
                     const Names& names, const Selection& selection, const TableOptions& options,
                     const AmountColumns& columns) {
  table.columns = {{"depth", "Depth", Unit::count},
                   {"method", "Method", Unit::none},
                   columns.count,
                   columns.weight,
                   own_of(columns.count),
                   own_of(columns.weight)};
  table.depth_column = 0;
  const Weighed weighed = weigh(stacks, amounts);
  Nodes leaves = heaviest(weighed, named(weighed.tree, names, selection));
  if (options.limit != 0 && leaves.size() > options.limit) {
    table.rows_left_out = leaves.size() - options.limit;
    table.notes.push_back(fmt::format("The {} heaviest of {} stacks; figures of callers count all.",
                                      options.limit, leaves.size()));
    leaves.resize(options.limit);
  }
  add_rows(table, weighed, paths(weighed, leaves), names);
}

void fill_sites(Table& table, const VisibleStacks& stacks, std::span<const Amount> amounts,
                const Names& names, const Selection& selection, const TableOptions& options,
                const AmountColumns& columns) {
  table.columns = {{"site", "Site", Unit::none},
                   columns.count,
                   columns.weight,
                   {"average", "Average", columns.weight.unit}};
  std::vector<Amount> by_method(std::size_t{names.methods().size()} + 1);  // last: no stack
  for (std::uint32_t stack = 0; stack < amounts.size(); ++stack) {
    const std::uint32_t site = stacks.site(stack);
    by_method[std::min<std::size_t>(site, by_method.size() - 1)].merge(amounts[stack]);
  }
  for (std::uint32_t method = 0; method < by_method.size(); ++method) {
    const Amount& amount = by_method[method];
    if (amount.count == 0) continue;
    const bool none = method == by_method.size() - 1;
    std::string name = site_name(none ? NameTable::kNone : method, names);
    if (!keeps(selection, name)) continue;
    table.rows.push_back(
        {std::move(name), amount.count, amount.weight, average(amount.weight, amount.count)});
  }
  sort_and_limit(table, options, columns.weight.key);
}

}  // namespace polytrace::analysis
