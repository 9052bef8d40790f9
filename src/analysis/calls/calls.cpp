// SPDX-License-Identifier: Apache-2.0
#include "analysis/calls/calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>

#include "analysis/calls/calltree.hpp"
#include "analysis/sections.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "analysis/table/words.hpp"
#include "base/text/figure_text.hpp"

namespace polytrace::analysis {
namespace {

Table empty_table() {
  return make_table("methods", "calls", "Methods",
                    {{"self", "Self", Unit::nanoseconds},
                     {"self_share", "Self %", Unit::percent},
                     {"elapsed", "Total", Unit::nanoseconds},
                     {"total", "All levels", Unit::nanoseconds},
                     {"calls", "Calls", Unit::count},
                     {"average", "Average", Unit::nanoseconds},
                     {"least", "Shortest", Unit::nanoseconds},
                     {"p50", "Median", Unit::nanoseconds},
                     {"p95", "p95", Unit::nanoseconds},
                     {"most", "Longest", Unit::nanoseconds},
                     {"method", "Method"}});
}

}  // namespace

Calls::Calls(const Selection& selection, std::shared_ptr<const CallTree> tree)
    : selection_(selection), tree_(std::move(tree)), policy_(selection), walk_(selection) {}

void Calls::consume(const Slice& slice) {
  if (!tree_) walk_.consume(slice, policy_);
}

void Calls::finish(const Names&) {
  if (tree_) {
    totals_ = tree_->totals();
    return;
  }
  walk_.finish(policy_);
  for (const Policy::Sums& method : policy_.sums)
    totals_.push_back(method.helper ? CallTotals{} : method.totals());
  policy_.sums = {};
}

const HelperTotals& Calls::helpers() const { return tree_ ? tree_->helpers() : policy_.helpers; }

std::uint64_t Calls::sum_of_self() const {
  std::uint64_t sum = helpers().unowned;
  for (const CallTotals& method : totals_) sum += method.self;
  return sum;
}

const event::CallAccount& Calls::repairs() const {
  return tree_ ? tree_->repairs() : walk_.repairs();
}

// What a bucket's middle is beyond the shortest and longest call is error for certain.
Cell Calls::quantile(std::uint32_t method, unsigned percent) const {
  const auto sketches = tree_ ? tree_->sketches() : std::span(policy_.sketches);
  if (method >= sketches.size() || sketches[method].empty()) return {};
  return std::clamp(sketches[method].quantile(percent), totals_[method].least,
                    totals_[method].most);
}

Figures Calls::figures(const Names& names) const {
  Figures figures{Unit::nanoseconds};
  for (std::uint32_t i = 0; i < totals_.size(); ++i) {
    if (totals_[i].calls == 0) continue;
    std::string name = names.method_name(i);
    if (keeps(selection_, name))
      figures.all.push_back({std::move(name), {totals_[i].calls, totals_[i].self}, i});
  }
  return figures;
}

std::vector<Table> Calls::tables(const Names& names, const TableOptions& options) const {
  Table table = empty_table();
  const std::uint64_t all_self = sum_of_self();
  Figures methods = figures(names);
  // So that equal rows stand in one order, too, however the trace was read.
  std::ranges::sort(methods.all, [&](const auto& a, const auto& b) {
    const auto id = [&](const auto& one) { return names.methods().id(one.index); };
    return std::tuple(std::string_view(a.name), id(a), a.index) <
           std::tuple(std::string_view(b.name), id(b), b.index);
  });
  for (auto& [name, amount, i] : methods.all) {
    const CallTotals& method = totals_[i];
    const bool timed = method.least <= method.most;
    table.rows.push_back({amount.weight, share(amount.weight, all_self), method.elapsed,
                          method.total, amount.count, average(method.total, amount.count),
                          timed ? Cell(method.least) : Cell(), quantile(i, 50), quantile(i, 95),
                          timed ? Cell(method.most) : Cell(), std::move(name)});
  }
  if (helpers().calls != 0) table.notes.push_back(helpers_note(helpers().calls, helpers().self));
  if (!policy_.window.whole()) {
    table.notes.push_back("Only the part of each call inside the selected time is counted.");
  }
  for (std::string& note : repair_notes(repairs())) table.notes.push_back(std::move(note));
  sort_and_limit(table, options, "self");
  return {std::move(table)};
}

std::vector<std::string> Calls::headlines(const Names& names) const {
  std::uint32_t busiest = NameTable::kNone;
  std::uint64_t calls = 0;
  for (std::uint32_t i = 0; i < totals_.size(); ++i) {
    calls += totals_[i].calls;
    if (totals_[i].calls == 0) continue;
    if (busiest == NameTable::kNone || totals_[i].self > totals_[busiest].self) busiest = i;
  }
  if (calls == 0) return {};
  std::string line = base::count_text(calls, "call", "calls");
  if (busiest != NameTable::kNone) {
    const CallTotals& method = totals_[busiest];
    line += fmt::format("; busiest: {} with {} self ({}) in {}", names.method_name(busiest),
                        base::duration_text(method.self), share_text(method.self, sum_of_self()),
                        base::count_text(method.calls, "call", "calls"));
  }
  if (helpers().self != 0)
    line += fmt::format("; {} of all in runtime helpers, which count for their callers",
                        base::duration_text(helpers().self));
  return {line};
}

std::shared_ptr<Analysis> make_calls(const Shared& shared) {
  return std::make_shared<Calls>(shared.selection, shared.tree);
}

}  // namespace polytrace::analysis
