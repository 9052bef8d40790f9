// SPDX-License-Identifier: Apache-2.0
// Exceptions: how many by class, where thrown, where caught. A recorder does not tell the class of
// a thrown object; it is known when the object's allocation was among the recent ones.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/analysis.hpp"
#include "analysis/runtime/throw_bursts.hpp"
#include "analysis/sections.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "analysis/table/words.hpp"
#include "base/text/figure_text.hpp"
#include "base/types.hpp"
#include "slice/call_site.hpp"
#include "slice/lives.hpp"

namespace polytrace::analysis {
namespace {

class Exceptions final : public Analysis {
 public:
  explicit Exceptions(const Selection& selection) : selection_(selection) {}

  void consume(const Slice& slice) override;
  void finish(const Names& names) override { bursts_.finish(names); }
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  Figures figures(const Names& names) const override;  // how many of a class were thrown
  std::vector<std::string> headlines(const Names& names) const override;
  std::vector<Suspect> suspects(const Names& names) const override;

 private:
  void thrown(const Slice& slice, std::uint32_t index);
  std::uint32_t class_of(const Slice& slice, base::Id object, const event::Throw& details);
  Table classes_table(const Names& names, const TableOptions& options) const;
  Table sites_table(const Names& names, const TableOptions& options) const;
  Table bursts_table(const Names& names, const TableOptions& options) const;
  Table clauses_table(const Names& names, const TableOptions& options) const;

  Selection selection_;
  RecentClasses recent_;
  ThrowBursts bursts_;
  std::uint64_t thrown_ = 0;
  std::uint64_t no_stack_ = 0;  // nor a call around
  std::uint64_t by_calls_ = 0;
  std::map<std::uint32_t, std::uint64_t> classes_;                                // kNone: unknown
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> sites_;        // method, class
  std::map<std::pair<std::uint32_t, event::ClauseKind>, std::uint64_t> clauses_;  // by method
};

using event::Kind;

void Exceptions::consume(const Slice& slice) {
  for (const std::uint32_t i : slice.others) {
    const event::Event& event = slice.batch.events[i];
    if (event.kind == Kind::Alloc && event.detail != event::kAbsent) {
      recent_.add(slice.batch.details<event::Alloc>(event).object,
                  slice.names.class_index(event.id));
    } else if (event.kind == Kind::Move && event.detail != event::kAbsent) {
      recent_.move(event.id, slice.batch.details<event::Move>(event).to);
    } else if (event.kind == Kind::Throw) {
      if (selects(selection_, slice.batch, event)) thrown(slice, i);
    } else if (event.kind == Kind::Clause && selects(selection_, slice.batch, event)) {
      const event::Clause none;
      const event::ClauseKind kind = slice.batch.details_or(event, none).clause;
      ++clauses_[{slice.names.methods().index(event.id), kind}];
    }
  }
}

void Exceptions::thrown(const Slice& slice, std::uint32_t index) {
  const event::Event& event = slice.batch.events[index];
  const event::Throw none;
  const event::Throw& details = slice.batch.details_or(event, none);
  ++thrown_;
  const std::uint32_t type = class_of(slice, event.id, details);
  ++classes_[type];
  const auto stack = slice.batch.list(details.stack);
  std::uint32_t site = NameTable::kNone;
  for (std::size_t i = stack.size(); i > 0 && site == NameTable::kNone; --i) {
    const std::uint32_t method = slice.names.methods().index(stack[i - 1]);
    if (selection_.show_helpers || !slice.names.is_helper(method)) site = method;
  }
  // The recorded call says more than the runtime's own method that throws for it.
  const std::uint32_t around = call_around(slice, index);
  if (stack.empty()) {
    site = around;
    ++(around == NameTable::kNone ? no_stack_ : by_calls_);
  }
  ++sites_[{site, type}];
  bursts_.add(event.time, type, around != NameTable::kNone ? around : site);
}

std::uint32_t Exceptions::class_of(const Slice& slice, base::Id object,
                                   const event::Throw& details) {
  if (details.class_id != base::kNoId) return slice.names.class_index(details.class_id);
  return recent_.find(object);
}

std::vector<Table> Exceptions::tables(const Names& names, const TableOptions& options) const {
  return {classes_table(names, options), sites_table(names, options), bursts_table(names, options),
          clauses_table(names, options)};
}

// Each counts, and weighs, one.
Figures Exceptions::figures(const Names& names) const {
  std::map<std::string, std::uint64_t> by_name;
  for (const auto& [type, count] : classes_) by_name[names.class_name(type)] += count;
  Figures figures{Unit::count};
  for (const auto& [name, count] : by_name)
    if (keeps(selection_, name)) figures.all.push_back({name, {count, count}});
  return figures;
}

Table Exceptions::classes_table(const Names& names, const TableOptions& options) const {
  Table table = make_table(
      "thrown_classes", "exceptions", "Exceptions by class",
      {{"thrown", "Thrown", Unit::count}, {"share", "%", Unit::percent}, {"class", "Class"}});
  Figures thrown = figures(names);
  for (auto& [name, amount, index] : thrown.all)
    table.rows.push_back({amount.count, share(amount.count, thrown_), std::move(name)});
  if (classes_.contains(NameTable::kNone)) {
    table.notes.push_back(
        "The class is known only of objects whose allocation was recorded "
        "shortly before.");
  }
  sort_and_limit(table, options, "thrown");
  return table;
}

Table Exceptions::sites_table(const Names& names, const TableOptions& options) const {
  Table table = make_table("throw_sites", "exceptions", "Where exceptions are thrown",
                           {{"thrown", "Thrown", Unit::count},
                            {"share", "%", Unit::percent},
                            {"class", "Class"},
                            {"method", "Method"}});
  for (const auto& [site, count] : sites_) {
    std::string method = "(no backtrace)";
    if (site.first != NameTable::kNone) method = names.method_name(site.first);
    std::string type = names.class_name(site.second);
    if (!keeps(selection_, method) && !keeps(selection_, type)) continue;
    table.rows.push_back({count, share(count, thrown_), std::move(type), std::move(method)});
  }
  if (no_stack_ != 0) {
    table.notes.push_back(base::count_text(no_stack_, "exception", "exceptions") +
                          " recorded without a backtrace.");
  }
  if (by_calls_ != 0) {
    table.notes.push_back(base::count_text(by_calls_, "exception counts", "exceptions count") +
                          " for the recorded call that they were thrown in: they have no stack.");
  }
  sort_and_limit(table, options, "thrown");
  return table;
}

Table Exceptions::bursts_table(const Names& names, const TableOptions& options) const {
  Table table = make_table("throw_bursts", "exceptions", "Bursts",
                           {{"first", "From", Unit::time},
                            {"last", "To", Unit::time},
                            {"thrown", "Thrown", Unit::count},
                            {"rate", "A second", Unit::none},
                            {"class", "Class"},
                            {"method", "Mostly in"}});
  for (const ThrowBursts::Burst& burst : bursts_.bursts()) {
    std::string type = names.class_name(burst.type);
    if (!keeps(selection_, type)) continue;
    table.rows.push_back({burst.first, burst.last, burst.count, burst.per_second(), std::move(type),
                          method_cell(names, burst.site)});
  }
  if (!table.rows.empty())
    table.notes.push_back(
        "A burst: at least 20 throws of one class, none later than 100 ms after the one before. "
        "One shorter than a second has the rate of a second.");
  sort_and_limit(table, options, "thrown");
  return table;
}

// One suspect for each class, the worst two.
std::vector<Suspect> Exceptions::suspects(const Names& names) const {
  constexpr std::uint64_t kFewest = 100;
  constexpr double kPerSecond = 50;
  std::vector<Suspect> suspects;
  std::vector<std::uint32_t> seen;
  for (const ThrowBursts::Burst& burst : bursts_.bursts()) {
    const bool known = std::ranges::find(seen, burst.type) != seen.end();
    if (known || burst.count < kFewest || burst.per_second() < kPerSecond || seen.size() == 2)
      continue;
    seen.push_back(burst.type);
    std::string what = names.class_name(burst.type);
    if (burst.site != NameTable::kNone) what += ", in " + names.method_name(burst.site);
    suspects.push_back({"exception storm", std::move(what),
                        fmt::format("{} thrown within {}", base::count_text(burst.count),
                                    base::duration_text(base::elapsed(burst.first, burst.last)))});
  }
  return suspects;
}

Table Exceptions::clauses_table(const Names& names, const TableOptions& options) const {
  Table table =
      make_table("clauses", "exceptions", "Handlers that ran",
                 {{"count", "Ran", Unit::count}, {"clause", "Kind"}, {"method", "Method"}});
  for (const auto& [clause, count] : clauses_) {
    std::string method = names.method_name(clause.first);
    if (!keeps(selection_, method)) continue;
    const bool caught = clause.second == event::ClauseKind::catch_clause;
    table.rows.push_back(
        {count, std::string(caught ? "catch" : event::name(clause.second)), std::move(method)});
  }
  sort_and_limit(table, options, "count");
  return table;
}

std::vector<std::string> Exceptions::headlines(const Names& names) const {
  std::uint64_t caught = 0;
  for (const auto& [clause, count] : clauses_)
    if (clause.second == event::ClauseKind::catch_clause) caught += count;
  if (thrown_ == 0 && caught == 0) return {};
  std::string line = base::count_text(thrown_, "exception", "exceptions") + " thrown";
  // Not every recorder tells handlers.
  if (!clauses_.empty()) line += fmt::format(", {} caught", base::count_text(caught));
  std::pair<std::uint32_t, std::uint64_t> most{NameTable::kNone, 0};
  for (const auto& [type, count] : classes_)
    if (type != NameTable::kNone && count > most.second) most = {type, count};
  if (most.second != 0) line += fmt::format("; mostly {}", names.class_name(most.first));
  return {line};
}

}  // namespace

std::shared_ptr<Analysis> make_exceptions(const Shared& shared) {
  return std::make_shared<Exceptions>(shared.selection);
}

}  // namespace polytrace::analysis
