// SPDX-License-Identifier: Apache-2.0
// What was allocated: by class, by site, by stack, by thread and over time.
// Tables: allocations, allocation_sites, allocation_stacks (a tree), allocation_threads,
// allocation_times.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/samples/allocation_stacks.hpp"
#include "analysis/sections.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/course.hpp"
#include "analysis/table/rows.hpp"
#include "base/slot.hpp"
#include "base/text/figure_text.hpp"

namespace polytrace::analysis {
namespace {

using event::Event;

const AmountColumns kColumns{{"count", "Count", Unit::count}, {"bytes", "Bytes", Unit::bytes}};

class Allocations final : public Analysis {
 public:
  explicit Allocations(const Selection& selection) : selection_(selection) {}

  void consume(const Slice& slice) override;
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  Figures figures(const Names& names) const override;  // bytes of classes
  std::vector<std::string> headlines(const Names& names) const override;
  std::vector<std::string> limits() const override { return stacks_.limits(); }

 private:
  void add(const Slice& slice, const Event& event, std::uint32_t stack, const Amount& amount);
  std::vector<Amount> by_class(const Names& names) const;
  Table classes(const Names& names, const TableOptions& options) const;
  Table threads(const Names& names, const TableOptions& options) const;
  Table times() const;

  Selection selection_;
  AllocationStacks stacks_;
  Amount total_;
  std::vector<Amount> by_class_;   // by class index as it was when met
  std::vector<Amount> by_stack_;   // by node of stacks_
  std::vector<Amount> by_thread_;  // by thread index
  Course<Amount> by_time_;
};

void Allocations::consume(const Slice& slice) {
  stacks_.consume(slice, selection_,
                  [&](const Event& event, std::uint32_t stack, const Amount& amount) {
                    add(slice, event, stack, amount);
                  });
}

void Allocations::add(const Slice& slice, const Event& event, std::uint32_t stack,
                      const Amount& amount) {
  base::slot(by_thread_, slice.threads[event.thread]).merge(amount);
  base::slot(by_class_, slice.names.class_index(event.id)).merge(amount);
  base::slot(by_stack_, stack).merge(amount);
  by_time_.at(event.time).merge(amount);
  total_.merge(amount);
}

std::vector<Amount> Allocations::by_class(const Names& names) const {
  std::vector<Amount> out;
  for (std::uint32_t i = 0; i < by_class_.size(); ++i)
    if (by_class_[i].count > 0) base::slot(out, names.resolve_class(i)).merge(by_class_[i]);
  return out;
}

Figures Allocations::figures(const Names& names) const {
  Figures figures{kColumns.weight.unit};
  const std::vector<Amount> amounts = by_class(names);
  for (std::uint32_t i = 0; i < amounts.size(); ++i) {
    if (amounts[i].count == 0) continue;
    std::string name = names.class_name(i);
    if (keeps(selection_, name)) figures.all.push_back({std::move(name), amounts[i]});
  }
  return figures;
}

Table Allocations::classes(const Names& names, const TableOptions& options) const {
  Table table = make_table("allocations", "allocations", "Allocations by class",
                           {{"class", "Class", Unit::none},
                            kColumns.count,
                            kColumns.weight,
                            {"average", "Average", Unit::bytes},
                            {"share", "Share", Unit::percent}});
  Figures classes = figures(names);
  for (Figure& figure : classes.all) {
    const auto& [count, bytes] = figure.amount;
    table.rows.push_back({std::move(figure.name), count, bytes, average(bytes, count),
                          percent(bytes, total_.weight)});
  }
  table.notes.push_back(fmt::format("All together: {} in {}.", base::bytes_text(total_.weight),
                                    base::count_text(total_.count, "object", "objects")));
  if (stacks_.samples() != 0)
    table.notes.push_back(
        fmt::format("Estimated from {}: each counts for all that it represents.",
                    base::count_text(stacks_.samples(), "sampled object", "sampled objects")));
  sort_and_limit(table, options, "bytes");
  return table;
}

Table Allocations::threads(const Names& names, const TableOptions& options) const {
  Table table = make_table("allocation_threads", "allocations", "Allocations by thread",
                           {{"thread", "Thread", Unit::none},
                            kColumns.count,
                            kColumns.weight,
                            {"share", "Share", Unit::percent}});
  for (std::uint32_t i = 0; i < by_thread_.size(); ++i) {
    const auto& [count, bytes] = by_thread_[i];
    if (count == 0) continue;
    std::string name = names.thread_name(i);
    if (keeps(selection_, name))
      table.rows.push_back({std::move(name), count, bytes, percent(bytes, total_.weight)});
  }
  sort_and_limit(table, options, "bytes");
  return table;
}

// In order of time and never cut: it is short by construction.
Table Allocations::times() const {
  Table table = make_table("allocation_times", "allocations", "Allocations over time",
                           {{"start", "From", Unit::time}, kColumns.count, kColumns.weight});
  for (std::size_t i = 0; i < by_time_.size(); ++i)
    table.rows.push_back({by_time_.start(i), by_time_[i].count, by_time_[i].weight});
  if (by_time_.size() > 0)
    table.notes.push_back(
        fmt::format("Each row covers {}.", base::duration_text(by_time_.width())));
  return table;
}

std::vector<Table> Allocations::tables(const Names& names, const TableOptions& options) const {
  if (total_.count == 0) return {};
  const VisibleStacks stacks(stacks_.tree(), names, selection_.show_helpers);
  Table sites = make_table("allocation_sites", "allocations", "Allocations by site", {});
  fill_sites(sites, stacks, by_stack_, names, selection_, options, kColumns);
  Table tree = make_table("allocation_stacks", "allocations", "Allocations by stack", {});
  fill_stack_tree(tree, stacks, by_stack_, names, selection_, options, kColumns);
  if (stacks_.follows_calls())
    for (Table* table : {&sites, &tree})
      table->notes.push_back(
          "Allocations recorded without a stack count for the method their "
          "thread was in by the recorded calls.");
  return {classes(names, options), std::move(sites), std::move(tree), threads(names, options),
          times()};
}

std::vector<std::string> Allocations::headlines(const Names& names) const {
  if (total_.count == 0) return {};
  const std::vector<Amount> amounts = by_class(names);
  std::uint32_t top = 0;
  for (std::uint32_t i = 0; i < amounts.size(); ++i)
    if (amounts[i].weight > amounts[top].weight) top = i;
  return {fmt::format("{} allocated in {}; {} of it {}.", base::bytes_text(total_.weight),
                      base::count_text(total_.count, "object", "objects"),
                      share_text(amounts[top].weight, total_.weight), names.class_name(top))};
}

}  // namespace

std::shared_ptr<Analysis> make_allocations(const Shared& shared) {
  return std::make_shared<Allocations>(shared.selection);
}

}  // namespace polytrace::analysis
