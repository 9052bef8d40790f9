// SPDX-License-Identifier: Apache-2.0
// Who calls a method, how often, and how long that takes: the edges of the call tree by method.
#include <memory>
#include <tuple>

#include "analysis/calls/calltree.hpp"
#include "analysis/calls/method_filter.hpp"
#include "analysis/sections.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"

namespace polytrace::analysis {
namespace {

class Callers final : public Analysis {
 public:
  // The tree is fed and finished by its owner.
  Callers(const Selection& selection, std::shared_ptr<const CallTree> tree)
      : selection_(selection), tree_(std::move(tree)) {}

  void consume(const Slice&) override {}
  // Methods by total time, each with its callers by the time they cause.
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;

 private:
  Selection selection_;
  std::shared_ptr<const CallTree> tree_;
};

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
    return std::tuple(totals[b.method].total, tree_->place(a.method), b.total) <
           std::tuple(totals[a.method].total, tree_->place(b.method), a.total);
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

}  // namespace

std::shared_ptr<Analysis> make_callers(const Shared& shared) {
  return std::make_shared<Callers>(shared.selection, shared.tree);
}

}  // namespace polytrace::analysis
