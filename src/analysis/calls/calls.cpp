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
                     {"busy", "Busy", Unit::nanoseconds, true},
                     {"waiting", "Waiting", Unit::nanoseconds, true},
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
  sums.busy += more.busy;
  sums.waiting += more.waiting;
  sums.least = std::min(sums.least, more.least);
  sums.most = std::max(sums.most, more.most);
}

// Blank where nothing is known of a method's own time.
Cell busy_cell(const CallTotals& method, bool is_known, std::uint64_t time) {
  return is_known && (method.self == 0 || method.busy + method.waiting != 0) ? Cell(time) : Cell();
}

}  // namespace

Calls::Calls(const Selection& selection, std::shared_ptr<const CallTree> tree)
    : selection_(selection), tree_(std::move(tree)), policy_(selection), walk_(selection) {}

void Calls::consume(const Slice& slice) {
  if (tree_) return;
  policy_.busy.consume(slice);
  const bool watched = policy_.clock.subtracts() || policy_.busy.wanted();
  if (watched && !policy_.watched)
    walk_.for_each_frame(
        [](Policy::Frame& frame) { frame.owner = frame.method, frame.excluded = 0; });
  policy_.watched = watched;
  walk_.consume(slice, policy_);
}

void Calls::finish(const Names&) {
  if (tree_) {
    totals_ = tree_->totals();
    return;
  }
  walk_.finish(policy_);
  std::vector<BusyTimes::Times> times = policy_.busy.finish();
  times.resize(std::max(times.size(), policy_.sums.size()));
  for (std::size_t i = 0; i < policy_.sums.size(); ++i) {
    const Policy::Sums& method = policy_.sums[i];
    totals_.push_back(method.helper ? CallTotals{} : method.totals(times[i]));
  }
  policy_.sums = {};
}

const HelperTotals& Calls::helpers() const { return tree_ ? tree_->helpers() : policy_.helpers; }

bool Calls::knows_busy() const { return tree_ ? tree_->knows_busy() : policy_.busy.known(); }

std::uint64_t Calls::sum_of_busy() const {
  std::uint64_t sum = 0;
  for (const CallTotals& method : totals_) sum += method.busy;
  return sum;
}

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
    table.rows.push_back(
        {method.self, share(method.self, all_self), busy_cell(method, knows_busy(), method.busy),
         busy_cell(method, knows_busy(), method.waiting), method.elapsed, method.total,
         method.calls, average(method.total, method.calls), timed ? Cell(method.least) : Cell(),
         quantile(named, sketch, 50), quantile(named, sketch, 95),
         timed ? Cell(method.most) : Cell(), std::move(named.name)});
  }
  if (helpers().calls != 0) table.notes.push_back(helpers_note(helpers().calls, helpers().self));
  if (!policy_.window.whole()) {
    table.notes.push_back("Only the part of each call inside the selected time is counted.");
  }
  for (std::string& note : repair_notes(repairs())) table.notes.push_back(std::move(note));
  if (const std::string note = unknown_note(); !note.empty()) table.notes.push_back(note);
  sort_and_limit(table, options, sum_of_busy() != 0 ? "busy" : "self");
  return {std::move(table)};
}

// Where the CPU time of threads was recorded, but not all of it.
std::string Calls::unknown_note() const {
  if (!knows_busy()) return {};
  std::uint64_t known = 0;
  for (const CallTotals& method : totals_) known += method.busy + method.waiting;
  const std::uint64_t all = sum_of_self() - std::min(sum_of_self(), helpers().unowned);
  if (known >= all || all - known < all / 100) return {};
  return fmt::format("Of {} self time it is not known whether it was busy or waiting.",
                     base::duration_text(all - known));
}

// What used the processors is said where it is known. Else there is wall time alone, and not every
// wait is known.
std::vector<std::string> Calls::headlines(const Names& names) const {
  const std::vector<Named> methods = by_name(names);
  if (methods.empty()) return {};
  std::uint64_t calls = 0;
  for (const Named& method : methods) calls += method.totals.calls;
  const std::uint64_t all_busy = sum_of_busy();
  const auto weight = [&](const Named& method) {
    return all_busy != 0 ? method.totals.busy : method.totals.self;
  };
  const Named& most = *std::ranges::max_element(methods, {}, weight);
  std::string line = fmt::format(
      "{}; {}: {} with {} {} ({}) in {}", base::count_text(calls, "call", "calls"),
      all_busy != 0 ? "busiest" : "most time", most.name, base::duration_text(weight(most)),
      all_busy != 0 ? "of CPU time" : "self, waits included",
      share_text(weight(most), all_busy != 0 ? all_busy : sum_of_self()),
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
