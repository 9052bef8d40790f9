// SPDX-License-Identifier: Apache-2.0
// Who used the processors: methods, as far as calls tell their thread's CPU time; threads and the
// process, where it was recorded now and then.
#include "analysis/samples/cpu_times.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/sections.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "analysis/table/stack_table.hpp"
#include "analysis/table/tree_order.hpp"
#include "base/slot.hpp"
#include "base/text/figure_text.hpp"
#include "base/types.hpp"
#include "slice/thread_cpu.hpp"

namespace polytrace::analysis {
namespace {

using event::Event;
using event::Kind;

struct MethodCpu {
  std::uint64_t calls = 0;
  std::uint64_t self = 0;
  std::uint64_t inclusive = 0;  // a recursion counts once
};

class CpuTimes final : public Analysis {
 public:
  explicit CpuTimes(const Selection& selection) : selection_(selection), threads_(selection) {}

  void consume(const Slice& slice) override;
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  std::vector<std::string> headlines(const Names& names) const override;
  std::vector<std::string> limits() const override { return stacks_.tree().limits(); }

 private:
  void add(const Slice& slice, const Event& event);
  std::vector<MethodCpu> by_method(const Names& names) const;
  Table methods(const Names& names, const TableOptions& options) const;
  Table threads(const Names& names, const TableOptions& options) const;

  Selection selection_;
  CpuStacks stacks_;
  std::vector<Amount> amounts_;  // by stack: calls, nanoseconds
  slice::ThreadCpu threads_;
  std::uint64_t process_ = 0;
  std::uint64_t bogus_ = 0;  // records that say themselves that they are wrong
};

// Of a recursion the outermost call counts.
void add_inclusive(const StackTree& tree, std::vector<std::uint64_t> below,
                   std::vector<MethodCpu>& methods) {
  struct Node {
    std::uint32_t parent;
    std::uint32_t method;
  };
  std::vector<Node> nodes(tree.size());
  for (std::uint32_t i = 1; i < nodes.size(); ++i) nodes[i] = {tree.parent(i), tree.method(i)};
  const std::vector<bool> inner = inner_calls(std::span<const Node>(nodes));
  for (auto i = static_cast<std::uint32_t>(nodes.size() - 1); i != StackTree::kRoot; --i) {
    below[nodes[i].parent] += below[i];
    if (below[i] != 0 && !inner[i] && nodes[i].method != Names::kOtherPaths)
      base::slot(methods, nodes[i].method).inclusive += below[i];
  }
}

void CpuTimes::consume(const Slice& slice) {
  stacks_.consume(slice, selection_,
                  [&](base::Time, std::uint32_t, std::uint32_t stack, std::uint64_t calls,
                      std::uint64_t used) { base::slot(amounts_, stack).add(calls, used); });
  for (const std::uint32_t i : slice.others) {
    const Event& event = slice.batch.events[i];
    if (event.kind == Kind::Cpu && selection_.threads.has(slice.batch.thread(event)))
      add(slice, event);
  }
}

// A thread's event also if it is behind the selected time: it may tell of a stretch inside.
void CpuTimes::add(const Slice& slice, const Event& event) {
  const auto cpu = slice.batch.details_or<event::Cpu>(event, {});
  const bool selected = selection_.has(event.time);
  const bool bogus = cpu.bogus != 0 || cpu.used < 0;
  if (cpu.scope == event::CpuScope::thread)
    threads_.take(slice.threads[event.thread], event.time, cpu);
  else if (selected && !bogus) process_ += static_cast<std::uint64_t>(cpu.used);
  if (selected && bogus) ++bogus_;
}

std::vector<MethodCpu> CpuTimes::by_method(const Names& names) const {
  const VisibleStacks visible(stacks_.tree(), names, selection_.show_helpers);
  const StackTree& tree = visible.tree();
  std::vector<MethodCpu> methods;
  std::vector<std::uint64_t> below(tree.size());  // by node: in its stack and those below it
  for (std::uint32_t stack = 0; stack < amounts_.size(); ++stack) {
    const Amount& amount = amounts_[stack];
    if (amount.count == 0 && amount.weight == 0) continue;
    const std::uint32_t site = visible.site(stack);
    if (site >= names.methods().size()) continue;
    base::slot(methods, site).calls += amount.count;
    methods[site].self += amount.weight;
    below[visible.node(stack)] += amount.weight;
  }
  add_inclusive(tree, std::move(below), methods);
  return methods;
}

Table CpuTimes::methods(const Names& names, const TableOptions& options) const {
  Table table = make_table("cpu_methods", "cpu", "CPU time by method",
                           {{"self", "Self", Unit::nanoseconds},
                            {"self_share", "Self %", Unit::percent},
                            {"inclusive", "Inclusive", Unit::nanoseconds},
                            {"calls", "Calls", Unit::count},
                            {"method", "Method"}});
  const std::vector<MethodCpu> methods = by_method(names);
  std::uint64_t all = 0;
  for (const MethodCpu& method : methods) all += method.self;
  for (std::uint32_t i = 0; i < methods.size(); ++i) {
    const MethodCpu& method = methods[i];
    std::string name = names.method_name(i);
    if (method.inclusive == 0 || !keeps(selection_, name)) continue;
    table.rows.push_back(
        {method.self, share(method.self, all), method.inclusive, method.calls, std::move(name)});
  }
  sort_and_limit(table, options, "self");
  return table;
}

Table CpuTimes::threads(const Names& names, const TableOptions& options) const {
  Table table = make_table("cpu_threads", "cpu", "CPU time by thread",
                           {{"thread", "Thread"},
                            {"used", "CPU time", Unit::nanoseconds},
                            {"alive", "Seen for", Unit::nanoseconds},
                            {"share", "CPU %", Unit::percent}});
  for (std::uint32_t i = 0; i < names.threads().size(); ++i) {
    std::string name = names.thread_name(i);
    const std::uint64_t used = threads_.used(i).value_or(0);
    if (used == 0 || !keeps(selection_, name)) continue;
    const ThreadInfo& thread = names.threads()[i];
    const std::uint64_t alive = base::elapsed(thread.first, thread.last);
    table.rows.push_back({std::move(name), used, alive, share(used, std::max(used, alive))});
  }
  sort_and_limit(table, options, "used");
  if (process_ != 0 && !table.rows.empty())
    table.notes.push_back("The whole process used " + base::duration_text(process_) + ".");
  if (bogus_ != 0)
    table.notes.push_back(base::count_text(bogus_, "record", "records") +
                          " of CPU time left out: wrong by their own words.");
  return table;
}

std::vector<Table> CpuTimes::tables(const Names& names, const TableOptions& options) const {
  return {methods(names, options), threads(names, options)};
}

std::vector<std::string> CpuTimes::headlines(const Names&) const {
  if (process_ == 0) return {};
  return {"the process used " + base::duration_text(process_) + " of CPU time"};
}

}  // namespace

bool CpuStacks::tells_cpu(const event::Batch& batch) {
  const auto told = [](const auto& details) { return details.cpu > 0; };
  return std::ranges::any_of(batch.column<event::Enter>(), told) ||
         std::ranges::any_of(batch.column<event::Leave>(), told);
}

base::Duration CpuStacks::told(const event::Batch& batch, const event::Event& event) {
  switch (event.kind) {
    case event::Kind::Enter: return batch.details_or<event::Enter>(event, {}).cpu;
    case event::Kind::Leave: return batch.details_or<event::Leave>(event, {}).cpu;
    default: return batch.details_or<event::Unwind>(event, {}).cpu;
  }
}

std::shared_ptr<Analysis> make_cpu_times(const Shared& shared) {
  return std::make_shared<CpuTimes>(shared.selection);
}

}  // namespace polytrace::analysis
