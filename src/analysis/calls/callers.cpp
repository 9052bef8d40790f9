// SPDX-License-Identifier: Apache-2.0
#include "analysis/calls/callers.hpp"

#include <tuple>

#include "analysis/calls/method_filter.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "analysis/table/text.hpp"

namespace polytrace::analysis {

std::vector<Table> Callers::tables(const Names& names, const TableOptions& options) const {
  Table table = make_table("callers", "callers", "Callers",
                           {{"method", "Method"},
                            {"caller", "Called by"},
                            {"calls", "Calls", Unit::count},
                            {"share", "Calls %", Unit::percent},
                            {"total", "Total", Unit::nanoseconds}});
  const std::vector<CallTotals>& totals = tree_->totals();
  const MethodFilter filter(selection_, names);
  std::vector<CallEdge> edges = tree_->edges();
  std::erase_if(edges, [&](const CallEdge& edge) { return !filter.wanted(edge.method); });
  std::ranges::stable_sort(edges, [&](const CallEdge& a, const CallEdge& b) {
    return std::tuple(totals[b.method].total, a.method, b.total) <
           std::tuple(totals[a.method].total, b.method, a.total);
  });
  for (const CallEdge& edge : edges) {
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
