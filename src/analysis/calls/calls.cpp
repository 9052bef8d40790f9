// SPDX-License-Identifier: Apache-2.0
#include "analysis/calls/calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

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

void add(CallTotals& sums, const CallTotals& more) {
  sums.calls += more.calls;
  sums.total += more.total;
  sums.elapsed += more.elapsed;
  sums.self += more.self;
  sums.least = std::min(sums.least, more.least);
  sums.most = std::max(sums.most, more.most);
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

// Class loaders and contexts have methods of their own under one name: for who reads them they are
// one. Rows stand in one order, however the trace was read.
std::vector<Calls::Named> Calls::by_name(const Names& names) const {
  std::vector<Named> all;
  for (std::uint32_t i = 0; i < totals_.size(); ++i)
    if (totals_[i].calls != 0) all.push_back({names.method_name(i), totals_[i], {i}});
  std::ranges::stable_sort(all, {}, &Named::name);
  std::vector<Named> merged;
  for (Named& one : all) {
    if (merged.empty() || merged.back().name != one.name) {
      merged.push_back(std::move(one));
      continue;
    }
    add(merged.back().totals, one.totals);
    merged.back().methods.push_back(one.methods.front());
  }
  return merged;
}

base::DurationSketch Calls::sketch_of(const Named& named) const {
  const auto sketches = tree_ ? tree_->sketches() : std::span(policy_.sketches);
  base::DurationSketch all;
  for (const std::uint32_t method : named.methods)
    if (method < sketches.size()) all.merge(sketches[method]);
  return all;
}

// What a bucket's middle is beyond the shortest and longest call is error for certain.
Cell Calls::quantile(const Named& named, const base::DurationSketch& sketch, unsigned percent) {
  if (sketch.empty()) return {};
  return std::clamp(sketch.quantile(percent), named.totals.least, named.totals.most);
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
  for (Named& named : by_name(names)) {
    if (!keeps(selection_, named.name)) continue;
    const CallTotals& method = named.totals;
    const bool timed = method.least <= method.most;
    const base::DurationSketch sketch = sketch_of(named);
    table.rows.push_back({method.self, share(method.self, all_self), method.elapsed, method.total,
                          method.calls, average(method.total, method.calls),
                          timed ? Cell(method.least) : Cell(), quantile(named, sketch, 50),
                          quantile(named, sketch, 95), timed ? Cell(method.most) : Cell(),
                          std::move(named.name)});
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
  const std::vector<Named> methods = by_name(names);
  if (methods.empty()) return {};
  std::uint64_t calls = 0;
  for (const Named& method : methods) calls += method.totals.calls;
  const Named& most = *std::ranges::max_element(
      methods, {}, [](const Named& method) { return method.totals.self; });
  // Self time is wall time, and not every wait is known.
  std::string line = fmt::format("{}; most time: {} with {} self, waits included ({}) in {}",
                                 base::count_text(calls, "call", "calls"), most.name,
                                 base::duration_text(most.totals.self),
                                 share_text(most.totals.self, sum_of_self()),
                                 base::count_text(most.totals.calls, "call", "calls"));
  if (helpers().self != 0)
    line += fmt::format("; {} of all in runtime helpers, which count for their callers",
                        base::duration_text(helpers().self));
  return {line};
}

std::shared_ptr<Analysis> make_calls(const Shared& shared) {
  return std::make_shared<Calls>(shared.selection, shared.tree);
}

}  // namespace polytrace::analysis
