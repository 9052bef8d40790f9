// SPDX-License-Identifier: Apache-2.0
#include "analysis/callers.hpp"

#include <tuple>

#include "analysis/method_filter.hpp"
#include "analysis/rows.hpp"
#include "analysis/text.hpp"
#include "base/seeded_hash.hpp"

namespace polytrace::analysis {
namespace {

struct Edge {
  std::uint32_t method;
  std::uint32_t caller;  // kNone: called by nothing in the trace
  std::uint64_t calls = 0;
  std::uint64_t total = 0;
};

// The calls of wanted methods by their caller.
std::vector<Edge> edges_of(std::span<const CallTree::Node> nodes, const MethodFilter& filter) {
  base::IdMap<std::size_t> places;
  std::vector<Edge> edges;
  for (std::size_t i = CallTree::kFirst; i < nodes.size(); ++i) {
    const CallTree::Node& node = nodes[i];
    if (node.calls == 0 || !filter.wanted(node.method)) continue;
    const std::uint32_t caller = nodes[node.parent].method;
    const std::uint64_t key = (std::uint64_t{node.method} << 32) | caller;
    const auto [place, fresh] = places.try_emplace(key, edges.size());
    if (fresh) edges.push_back({node.method, caller});
    edges[place->second].calls += node.calls;
    edges[place->second].total += node.total;
  }
  return edges;
}

}  // namespace

std::vector<Table> Callers::tables(const Names& names, const TableOptions& options) const {
  Table table = make_table("callers", "callers", "Callers",
                           {{"method", "Method"},
                            {"caller", "Called by"},
                            {"calls", "Calls", Unit::count},
                            {"share", "Calls %", Unit::percent},
                            {"total", "Total", Unit::nanoseconds}});
  const std::vector<CallTotals>& totals = tree_->totals();
  std::vector<Edge> edges = edges_of(tree_->nodes(), MethodFilter(selection_, names));
  std::ranges::stable_sort(edges, [&](const Edge& a, const Edge& b) {
    return std::tuple(totals[b.method].total, a.method, b.total) <
           std::tuple(totals[a.method].total, b.method, a.total);
  });
  for (const Edge& edge : edges) {
    table.rows.push_back({names.method_name(edge.method),
                          edge.caller == NameTable::kNone ? std::string("(outermost)")
                                                          : names.method_name(edge.caller),
                          edge.calls, share(edge.calls, totals[edge.method].calls), edge.total});
  }
  if (tree_->helpers().calls != 0)
    table.notes.push_back(
        "Runtime helpers are left out: a method called through one is shown with the caller before "
        "it.");
  sort_and_limit(table, options, "");
  return {std::move(table)};
}

}  // namespace polytrace::analysis
