// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/profile/profile.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/tree_order.hpp"

namespace polytrace::analysis {
namespace {

std::vector<std::int64_t> values_of(const Profile& tree, const std::vector<Amount>& selfs,
                                    double scale) {
  std::vector<std::int64_t> values;
  for (const Amount& total : tree.totals(selfs))
    values.push_back(std::llround(static_cast<double>(tree.value(total)) * scale));
  return values;
}

}  // namespace

Table tree_difference(const Profile& tree, double scale, double threshold,
                      const TableOptions& options) {
  const Unit unit = tree.weight->unit;
  Table table = make_table("diff_tree", "tree", fmt::format("Call tree: {}", tree.weight->title),
                           {{"depth", "Depth", Unit::count},
                            {"before", "Before", unit},
                            {"after", "After", unit},
                            {"change", "Change", unit},
                            {"share", "Of all %", Unit::percent},
                            {"method", "Method"}});
  table.depth_column = 0;
  const std::vector<std::int64_t> before = values_of(tree, tree.befores, 1);
  const std::vector<std::int64_t> after = values_of(tree, tree.selfs, scale);
  const auto change = [&](std::size_t i) { return after[i] - before[i]; };
  const double whole = static_cast<double>(std::max(before[0], after[0]));
  const auto size = [&](std::uint32_t i) { return std::abs(change(i)); };
  std::vector<std::uint32_t> shown;
  for (std::uint32_t i = 1; i < tree.nodes.size(); ++i)
    if (size(i) != 0 && static_cast<double>(size(i)) >= threshold * whole) shown.push_back(i);
  std::ranges::stable_sort(shown, std::ranges::greater(), size);
  if (options.limit != 0 && shown.size() > options.limit) {
    table.rows_left_out = shown.size() - options.limit;
    shown.resize(options.limit);
  }
  std::vector<bool> kept(tree.nodes.size());
  for (std::uint32_t i : shown)
    for (; i != Profile::kRoot && !kept[i]; i = tree.nodes[i].parent) kept[i] = true;
  Children children{std::span(tree.nodes)};
  std::uint64_t depth = 0;
  const auto enter = [&](std::uint32_t i) {
    if (!kept[i]) return false;
    std::ranges::stable_sort(children.of(i), std::ranges::greater(), size);
    table.rows.push_back({depth++, static_cast<std::uint64_t>(before[i]),
                          static_cast<std::uint64_t>(after[i]), change(i),
                          whole > 0 ? 100 * static_cast<double>(change(i)) / whole : 0,
                          tree.frames[tree.nodes[i].frame].name});
    return true;
  };
  std::ranges::stable_sort(children.of(Profile::kRoot), std::ranges::greater(), size);
  walk_tree(children, enter, [&](std::uint32_t) { --depth; });
  return table;
}

}  // namespace polytrace::analysis
