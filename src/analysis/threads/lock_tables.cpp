// SPDX-License-Identifier: Apache-2.0
// What a graph of locks shows of itself.

#include <fmt/format.h>

#include <algorithm>

#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "analysis/table/words.hpp"
#include "analysis/threads/lock_graph.hpp"
#include "base/text/figure_text.hpp"
#include "base/types.hpp"
#include "slice/names.hpp"

namespace polytrace::analysis {
namespace {

// A convoy: threads queue at a lock again and again, for a good part of the time.
constexpr std::uint64_t kFewestWaits = 20;
constexpr std::uint64_t kFewestThreads = 3;
constexpr double kAwaited = 0.1;
constexpr double kCrowded = 0.05;
// Longer chains are cut; it may be a circle.
constexpr std::size_t kLongestChain = 8;

std::string thread_text(std::uint32_t thread, const Names& names) {
  return thread == LockGraph::kNone ? "(not told)" : names.thread_name(thread);
}

Table queues(const LockGraph& graph, const LockName& lock_name, const Names& names,
             const Selection& selection, const TableOptions& options) {
  Table table = make_table("lock_queues", "monitors", "Queues at locks",
                           {{"lock", "Lock"},
                            {"threads", "Threads", Unit::count},
                            {"most", "At once", Unit::count},
                            {"awaited", "Awaited", Unit::nanoseconds},
                            {"share", "Of the time", Unit::percent},
                            {"crowded", "By two or more", Unit::nanoseconds},
                            {"site", "Mostly at"}});
  const std::uint64_t span = extent_of(names).span();
  for (const LockGraph::Queue& queue : graph.queues()) {
    std::string lock = lock_name(queue.lock);
    if (!keeps(selection, lock)) continue;
    table.rows.push_back({std::move(lock), queue.threads, queue.most, queue.awaited,
                          share(queue.awaited, span), queue.crowded,
                          method_cell(names, queue.site)});
  }
  if (graph.left_out() != 0)
    table.notes.push_back(base::count_text(graph.left_out(), "wait", "waits") +
                          " beyond the limit are not in here, nor in the tables below.");
  sort_and_limit(table, options, "awaited");
  return table;
}

Table blockers(const LockGraph& graph, const LockName& lock_name, const Names& names,
               const Selection& selection, const TableOptions& options) {
  Table table = make_table("lock_blockers", "monitors", "Who waited for whom",
                           {{"holder", "Held by"},
                            {"waiter", "Waited"},
                            {"lock", "Lock"},
                            {"waits", "Waits", Unit::count},
                            {"wait", "Wait", Unit::nanoseconds}});
  // Threads of one name are one row: pools make many.
  std::map<std::tuple<std::string, std::string, std::uint32_t>, LockGraph::Blocked> rows;
  for (const auto& [edge, blocked] : graph.edges()) {
    auto& row = rows[{thread_text(edge.holder, names), thread_text(edge.waiter, names), edge.lock}];
    row.waits += blocked.waits;
    row.time += blocked.time;
  }
  for (const auto& [key, blocked] : rows) {
    const auto& [holder, waiter, lock] = key;
    std::string name = lock_name(lock);
    if (keeps(selection, name) || keeps(selection, holder) || keeps(selection, waiter))
      table.rows.push_back({holder, waiter, std::move(name), blocked.waits, blocked.time});
  }
  if (!table.rows.empty())
    table.notes.push_back(
        "A thread that gets a lock while another waits for it is taken to hold it until the next "
        "one gets it. Who held it before the first of them is known only where owners are told.");
  sort_and_limit(table, options, "wait");
  return table;
}

Table chains(const LockGraph& graph, const LockName& lock_name, const Names& names,
             const TableOptions& options) {
  Table table = make_table("lock_chains", "monitors", "Chains: who was waited for, waited as well",
                           {{"chain", "Chain"},
                            {"length", "Locks", Unit::count},
                            {"waits", "Waits", Unit::count},
                            {"wait", "Wait", Unit::nanoseconds}});
  struct Chain {
    std::uint64_t length = 0;
    std::uint64_t waits = 0;
    std::uint64_t time = 0;
  };
  std::map<std::string, Chain> found;
  for (const LockGraph::Wait& wait : graph.waits()) {
    if (wait.next == LockGraph::kNone) continue;
    std::string text = thread_text(wait.thread, names) + " > " + lock_name(wait.lock);
    std::size_t length = 1;
    for (auto next = wait.next; next != LockGraph::kNone && length < kLongestChain; ++length) {
      const LockGraph::Wait& link = graph.waits()[next];
      text += fmt::format(" > {} > {}", thread_text(link.thread, names), lock_name(link.lock));
      next = link.next;
    }
    Chain& chain = found[text];
    chain.length = length;
    ++chain.waits;
    chain.time += base::elapsed(wait.start, wait.end);
  }
  for (const auto& [text, chain] : found)
    table.rows.push_back({text, chain.length, chain.waits, chain.time});
  sort_and_limit(table, options, "wait");
  return table;
}

bool is_convoy(const LockGraph::Queue& queue, std::uint64_t span) {
  const auto time = static_cast<double>(span);
  return queue.waits >= kFewestWaits && queue.threads >= kFewestThreads &&
         static_cast<double>(queue.awaited) >= kAwaited * time &&
         static_cast<double>(queue.crowded) >= kCrowded * time;
}

}  // namespace

std::vector<Table> lock_tables(const LockGraph& graph, const LockName& lock_name,
                               const Names& names, const Selection& selection,
                               const TableOptions& options) {
  return {queues(graph, lock_name, names, selection, options),
          blockers(graph, lock_name, names, selection, options),
          chains(graph, lock_name, names, options)};
}

std::vector<Suspect> find_convoys(const LockGraph& graph, const LockName& lock_name,
                                  const Names& names) {
  std::vector<LockGraph::Queue> worst;
  const std::uint64_t span = extent_of(names).span();
  for (const LockGraph::Queue& queue : graph.queues())
    if (is_convoy(queue, span)) worst.push_back(queue);
  std::ranges::stable_sort(worst, std::ranges::greater(), &LockGraph::Queue::wait);
  if (worst.size() > 2) worst.resize(2);
  std::vector<Suspect> suspects;
  for (const LockGraph::Queue& queue : worst) {
    std::string what = lock_name(queue.lock);
    if (queue.site != NameTable::kNone) what += ", in " + names.method_name(queue.site);
    suspects.push_back({"lock convoy", std::move(what),
                        fmt::format("{} waited {} in all, up to {} at once; someone waited "
                                    "during {} of the time",
                                    base::count_text(queue.threads, "thread", "threads"),
                                    base::duration_text(queue.wait), queue.most,
                                    share_text(queue.awaited, span))});
  }
  return suspects;
}

}  // namespace polytrace::analysis
