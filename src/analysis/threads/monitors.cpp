// SPDX-License-Identifier: Apache-2.0
// Who waited for which lock: contentions and the time until the lock was had or given up, by lock,
// by class of the lock's object, by site and by thread.
// Tables: monitors, monitor_totals, monitor_classes, monitor_sites, monitor_stacks (a tree),
// monitor_threads.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/sections.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "analysis/table/stack_table.hpp"
#include "analysis/threads/lock_graph.hpp"
#include "base/slot.hpp"
#include "base/text/figure_text.hpp"
#include "base/types.hpp"
#include "slice/call_site.hpp"
#include "slice/lives.hpp"

namespace polytrace::analysis {
namespace {

using event::Event;
using event::Kind;
using event::MonitorStage;

const AmountColumns kWaitColumns{{"contentions", "Contentions", Unit::count},
                                 {"wait", "Wait", Unit::nanoseconds}};

struct Waits {
  std::uint64_t contentions = 0;
  std::uint64_t finished = 0;  // of these, with a recorded end
  std::uint64_t failures = 0;
  std::uint64_t total = 0;
  std::uint64_t longest = 0;
  void merge(const Waits& other) {
    contentions += other.contentions;
    finished += other.finished;
    failures += other.failures;
    total += other.total;
    longest = std::max(longest, other.longest);
  }
};

struct Lock {
  Id object = base::kNoId;
  std::uint32_t type = NameTable::kNone;
  Waits waits;
};

// Those of one class.
struct ClassLocks {
  std::string name;
  std::uint64_t count = 0;
  Waits waits;
};

struct Contention {
  base::Time start = base::kNoTime;  // kNoTime: the thread waits for nothing
  std::uint32_t lock = 0;
  std::uint32_t stack = StackTree::kRoot;
  std::uint32_t owner = NameTable::kNone;
  std::uint32_t site = NameTable::kNone;
};

class Monitors final : public Analysis {
 public:
  explicit Monitors(const Selection& selection) : selection_(selection) {}

  void consume(const Slice& slice) override;
  void finish(const Names& names) override;
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  Figures figures(const Names& names) const override;  // waits by class
  std::vector<std::string> headlines(const Names& names) const override;
  std::vector<std::string> limits() const override { return stacks_.limits(); }
  std::vector<Suspect> suspects(const Names& names) const override;

 private:
  void monitor(const Slice& slice, std::uint32_t index);
  void contended(const Slice& slice, const Event& event, const event::Monitor& details,
                 Contention& waiting);
  void ended(const Event& event, std::uint32_t thread, bool failed, Contention& waiting);
  std::uint32_t lock_index(const Slice& slice, Id object, Id class_id);
  LockName lock_name(const Names& names) const;
  std::vector<ClassLocks> by_class(const Names& names) const;
  Table totals() const;
  Table locks(const Names& names, const TableOptions& options) const;
  Table classes(const Names& names, const TableOptions& options) const;
  Table threads(const Names& names, const TableOptions& options) const;

  Selection selection_;
  RecentClasses classes_;
  base::IdTable lock_ids_;
  std::vector<Lock> locks_;  // by index in lock_ids_
  StackTree stacks_;
  std::vector<Amount> by_stack_;
  std::vector<Waits> by_thread_;     // by thread index
  std::vector<Contention> waiting_;  // by thread index
  LockGraph graph_;
  Waits all_;
  std::uint64_t acquired_ = 0;
  std::uint64_t failed_ = 0;
};

void Monitors::consume(const Slice& slice) {
  const event::Batch& batch = slice.batch;
  for (const std::uint32_t i : slice.others) {
    const Event& event = batch.events[i];
    if (event.kind == Kind::Alloc) {
      if (event.detail != event::kAbsent)
        classes_.add(batch.details<event::Alloc>(event).object, slice.names.class_index(event.id));
    } else if (event.kind == Kind::Move) {
      classes_.move(event.id, batch.details_or<event::Move>(event, {}).to);
    } else if (event.kind == Kind::Monitor) {
      monitor(slice, i);
    }
  }
}

void Monitors::monitor(const Slice& slice, std::uint32_t index) {
  const Event& event = slice.batch.events[index];
  const auto details = slice.batch.details_or<event::Monitor>(event, {});
  const std::uint32_t thread = slice.threads[event.thread];
  Contention& waiting = base::slot(waiting_, thread);
  if (details.stage == MonitorStage::contended) {
    waiting = {};
    if (selects(selection_, slice.batch, event)) {
      waiting.site = site_of(slice, index, details.stack);
      contended(slice, event, details, waiting);
      ++base::slot(by_thread_, thread).contentions;
    }
    return;
  }
  const bool failed = details.stage == MonitorStage::failed;
  if (selects(selection_, slice.batch, event)) ++(failed ? failed_ : acquired_);
  if (waiting.start != base::kNoTime) ended(event, thread, failed, waiting);
}

void Monitors::contended(const Slice& slice, const Event& event, const event::Monitor& details,
                         Contention& waiting) {
  waiting.start = event.time;
  waiting.lock = lock_index(slice, event.id, details.class_id);
  const auto frames = slice.batch.list(details.stack);
  const bool by_call = frames.empty() && waiting.site != NameTable::kNone;
  waiting.stack =
      by_call ? stacks_.child(StackTree::kRoot, waiting.site) : stacks_.intern(frames, slice.names);
  if (details.owner != base::kNoId) waiting.owner = slice.names.thread_index(details.owner);
  ++locks_[waiting.lock].waits.contentions;
  ++all_.contentions;
  base::slot(by_stack_, waiting.stack).add(1, 0);
}

void Monitors::ended(const Event& event, std::uint32_t thread, bool failed, Contention& waiting) {
  const std::uint64_t time = base::elapsed(waiting.start, event.time);
  const Waits wait{0, 1, failed ? 1U : 0U, time, time};
  locks_[waiting.lock].waits.merge(wait);
  by_thread_[thread].merge(wait);
  all_.merge(wait);
  by_stack_[waiting.stack].add(0, time);
  graph_.add({waiting.lock, thread, waiting.owner, waiting.site, waiting.start, event.time, !failed,
              LockGraph::kNone});
  waiting = {};
}

std::uint32_t Monitors::lock_index(const Slice& slice, Id object, Id class_id) {
  const std::uint32_t index = lock_ids_.index(object);
  Lock& lock = base::slot(locks_, index);
  lock.object = object;
  if (lock.type == NameTable::kNone)
    lock.type = class_id != base::kNoId ? slice.names.class_index(class_id) : classes_.find(object);
  return index;
}

// Another thread's stream may tell of the allocation later.
void Monitors::finish(const Names&) {
  for (Lock& lock : locks_)
    if (lock.type == NameTable::kNone) lock.type = classes_.find(lock.object);
  graph_.finish();
}

std::vector<ColumnInfo> wait_columns(std::vector<ColumnInfo> columns) {
  columns.insert(columns.end(), {kWaitColumns.count,
                                 kWaitColumns.weight,
                                 {"longest", "Longest", Unit::nanoseconds},
                                 {"average", "Average", Unit::nanoseconds},
                                 {"failures", "Failures", Unit::count}});
  return columns;
}

std::vector<Cell> wait_row(std::vector<Cell> cells, const Waits& waits) {
  cells.insert(cells.end(), {waits.contentions, waits.total, waits.longest,
                             average(waits.total, waits.finished), waits.failures});
  return cells;
}

Table Monitors::totals() const {
  Table table = make_table("monitor_totals", "monitors", "Lock contentions",
                           {kWaitColumns.count,
                            {"acquired", "Acquired", Unit::count},
                            {"failed", "Failed", Unit::count},
                            kWaitColumns.weight,
                            {"longest", "Longest", Unit::nanoseconds},
                            {"average", "Average", Unit::nanoseconds}});
  if (all_.contentions + acquired_ + failed_ == 0) return table;
  table.rows.push_back({all_.contentions, acquired_, failed_, all_.total, all_.longest,
                        average(all_.total, all_.finished)});
  if (all_.finished < all_.contentions)
    table.notes.push_back(
        base::count_text(all_.contentions - all_.finished, "contention", "contentions") +
        " without recorded end: no wait time of these is known.");
  return table;
}

Table Monitors::locks(const Names& names, const TableOptions& options) const {
  Table table = make_table(
      "monitors", "monitors", "Contended locks",
      wait_columns({{"object", "Object", Unit::address}, {"class", "Class", Unit::none}}));
  for (const Lock& lock : locks_) {
    std::string type = names.class_name(lock.type);
    if (keeps(selection_, type))
      table.rows.push_back(wait_row({lock.object, std::move(type)}, lock.waits));
  }
  sort_and_limit(table, options, "wait");
  return table;
}

std::vector<ClassLocks> Monitors::by_class(const Names& names) const {
  std::vector<ClassLocks> out(names.classes().size() + std::size_t{1});  // last: not known
  for (const Lock& lock : locks_) {
    const std::uint32_t type = names.resolve_class(lock.type);
    ClassLocks& locks = out[std::min<std::size_t>(type, out.size() - 1)];
    if (locks.count++ == 0) locks.name = names.class_name(type);
    locks.waits.merge(lock.waits);
  }
  std::erase_if(out, [&](const ClassLocks& locks) {
    return locks.count == 0 || !keeps(selection_, locks.name);
  });
  return out;
}

Figures Monitors::figures(const Names& names) const {
  Figures figures{kWaitColumns.weight.unit};
  for (ClassLocks& locks : by_class(names))
    figures.all.push_back({std::move(locks.name), {locks.waits.contentions, locks.waits.total}});
  return figures;
}

Table Monitors::classes(const Names& names, const TableOptions& options) const {
  Table table = make_table(
      "monitor_classes", "monitors", "Contended locks by class",
      wait_columns({{"class", "Class", Unit::none}, {"objects", "Objects", Unit::count}}));
  for (ClassLocks& locks : by_class(names))
    table.rows.push_back(wait_row({std::move(locks.name), locks.count}, locks.waits));
  sort_and_limit(table, options, "wait");
  return table;
}

Table Monitors::threads(const Names& names, const TableOptions& options) const {
  Table table = make_table("monitor_threads", "monitors", "Waiting threads",
                           wait_columns({{"thread", "Thread", Unit::none}}));
  for (std::uint32_t i = 0; i < by_thread_.size(); ++i) {
    if (by_thread_[i].contentions == 0) continue;
    std::string name = names.thread_name(i);
    if (keeps(selection_, name)) table.rows.push_back(wait_row({std::move(name)}, by_thread_[i]));
  }
  sort_and_limit(table, options, "wait");
  return table;
}

std::vector<Table> Monitors::tables(const Names& names, const TableOptions& options) const {
  const VisibleStacks stacks(stacks_, names, selection_.show_helpers);
  Table sites = make_table("monitor_sites", "monitors", "Contention sites", {});
  fill_sites(sites, stacks, by_stack_, names, selection_, options, kWaitColumns);
  Table tree = make_table("monitor_stacks", "monitors", "Contention by stack", {});
  fill_stack_tree(tree, stacks, by_stack_, names, selection_, options, kWaitColumns);
  // Which lock, and from where, are one question: the classes, mostly the locks again, follow.
  std::vector<Table> tables{totals(),         locks(names, options),
                            std::move(sites), classes(names, options),
                            std::move(tree),  threads(names, options)};
  std::ranges::move(lock_tables(graph_, lock_name(names), names, selection_, options),
                    std::back_inserter(tables));
  return tables;
}

LockName Monitors::lock_name(const Names& names) const {
  return [&](std::uint32_t index) {
    const Lock& lock = locks_[index];
    if (lock.type == NameTable::kNone) return fmt::format("lock {:#x}", lock.object);
    return fmt::format("{} {:#x}", names.class_name(lock.type), lock.object);
  };
}

std::vector<Suspect> Monitors::suspects(const Names& names) const {
  return find_convoys(graph_, lock_name(names), names);
}

std::vector<std::string> Monitors::headlines(const Names&) const {
  if (all_.contentions == 0) return {};
  return {fmt::format("Threads waited {} for locks in {}, the longest {}.",
                      base::duration_text(all_.total),
                      base::count_text(all_.contentions, "contention", "contentions"),
                      base::duration_text(all_.longest))};
}

}  // namespace

std::shared_ptr<Analysis> make_monitors(const Shared& shared) {
  return std::make_shared<Monitors>(shared.selection);
}

}  // namespace polytrace::analysis
