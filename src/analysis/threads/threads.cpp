// SPDX-License-Identifier: Apache-2.0
// The threads of the trace: name, id, how long they were seen, the CPU time that they used, how
// much they recorded.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <tuple>

#include "analysis/sections.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/course.hpp"
#include "analysis/table/rows.hpp"
#include "analysis/table/words.hpp"
#include "base/slot.hpp"
#include "base/text/figure_text.hpp"
#include "base/types.hpp"
#include "slice/spans.hpp"
#include "slice/thread_cpu.hpp"

namespace polytrace::analysis {
namespace {

// Nanoseconds that threads were blocked by a lock or waited for a signal.
struct Idle {
  std::uint64_t blocked = 0;
  std::uint64_t waiting = 0;
  void merge(const Idle& other) { blocked += other.blocked, waiting += other.waiting; }
};

// Names keeps the threads already: what they waited for and the CPU time are to be collected.
class Threads : public Analysis {
 public:
  explicit Threads(const Selection& selection) : selection_(selection), cpu_(selection) {}

  void consume(const Slice& slice) override;
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  std::vector<std::string> headlines(const Names& names) const override;

 private:
  struct State {
    base::Time blocked = base::kNoTime;  // since when
    base::Time waiting = base::kNoTime;
    Idle idle{};
  };
  void take_cpu(const Slice& slice, const event::Event& event);
  void ended(base::Time& start, base::Time end, std::uint64_t Idle::* what, Idle& of);
  Table states(const Names& names, const TableOptions& options) const;
  Table times() const;
  std::string cpu_line(const Names& names, std::uint32_t thread) const;
  std::vector<std::uint32_t> busiest(const Names& names) const;

  Selection selection_;
  std::vector<State> states_;  // by thread index
  Course<Idle> times_;
  slice::ThreadCpu cpu_;
  bool any_ = false;
};

void Threads::consume(const Slice& slice) {
  for (const std::uint32_t i : slice.others) {
    const event::Event& event = slice.batch.events[i];
    if (event.kind == event::Kind::Cpu) take_cpu(slice, event);
    const auto edge = span_edge(slice.batch, event);
    if (!edge || (edge->kind != SpanKind::lock && edge->kind != SpanKind::wait)) continue;
    if (!selects(selection_, slice.batch, event)) continue;
    State& state = base::slot(states_, slice.threads[event.thread]);
    const bool is_lock = edge->kind == SpanKind::lock;
    base::Time& since = is_lock ? state.blocked : state.waiting;
    if (edge->begins()) since = event.time;
    else ended(since, event.time, is_lock ? &Idle::blocked : &Idle::waiting, state.idle);
  }
}

// Also of an event behind the selected time, which tells of a stretch before it.
void Threads::take_cpu(const Slice& slice, const event::Event& event) {
  const auto cpu = slice.batch.details_or<event::Cpu>(event, {});
  if (cpu.scope == event::CpuScope::thread && selection_.threads.has(slice.batch.thread(event)))
    cpu_.take(slice.threads[event.thread], event.time, cpu);
}

// Spread over the buckets of time that it lies in.
void Threads::ended(base::Time& start, base::Time end, std::uint64_t Idle::* what, Idle& of) {
  if (start == base::kNoTime || end <= start) return;
  of.*what += base::elapsed(start, end);
  any_ = true;
  times_.at(start);
  times_.at(end);
  for (std::size_t i = 0; i < times_.size(); ++i) {
    const base::Time from = std::max(start, times_.start(i));
    const base::Time to = i + 1 < times_.size() ? std::min(end, times_.start(i + 1)) : end;
    if (from < to) times_.at(from).*what += base::elapsed(from, to);
  }
  start = base::kNoTime;
}

Table Threads::states(const Names& names, const TableOptions& options) const {
  Table table = make_table("thread_states", "threads", "What threads waited for",
                           {{"thread", "Thread"},
                            {"alive", "Seen for", Unit::nanoseconds},
                            {"blocked", "Blocked by locks", Unit::nanoseconds},
                            {"blocked_share", "Blocked %", Unit::percent},
                            {"waiting", "Waiting", Unit::nanoseconds},
                            {"waiting_share", "Waiting %", Unit::percent}});
  for (std::uint32_t i = 0; i < states_.size(); ++i) {
    const Idle& idle = states_[i].idle;
    std::string name = names.thread_name(i);
    if (idle.blocked + idle.waiting == 0 || !keeps(selection_, name)) continue;
    const std::uint64_t alive = base::elapsed(names.threads()[i].first, names.threads()[i].last);
    table.rows.push_back({std::move(name), alive, idle.blocked, share(idle.blocked, alive),
                          idle.waiting, share(idle.waiting, alive)});
  }
  sort_and_limit(table, options, "blocked");
  return table;
}

Table Threads::times() const {
  Table table = make_table("thread_times", "threads", "Waiting threads over time",
                           {{"start", "From", Unit::time},
                            {"blocked", "Blocked by locks", Unit::none},
                            {"waiting", "Waiting", Unit::none}});
  if (!any_) return table;
  const auto mean = [&](std::uint64_t time) {
    return static_cast<double>(time) / static_cast<double>(times_.width());
  };
  for (std::size_t i = 0; i < times_.size(); ++i)
    table.rows.push_back({times_.start(i), mean(times_[i].blocked), mean(times_[i].waiting)});
  table.notes.push_back("Threads on average; each row covers " +
                        base::duration_text(times_.width()) +
                        ". Waits without a recorded end are not in here.");
  return table;
}

// Threads, those without events last.
std::vector<std::uint32_t> by_first_event(const Names& names) {
  std::vector<std::uint32_t> order(names.threads().size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) {
    const ThreadInfo& thread = names.threads()[i];
    return std::tuple(thread.events == 0, thread.first, thread.id);
  });
  return order;
}

std::vector<Table> Threads::tables(const Names& names, const TableOptions& options) const {
  Table table = make_table("threads", "threads", "Threads",
                           {{"thread", "Thread"},
                            {"id", "Id", Unit::address},
                            {"first", "First event", Unit::time},
                            {"last", "Last event", Unit::time},
                            {"alive", "Seen for", Unit::nanoseconds},
                            {"cpu", "CPU", Unit::nanoseconds},
                            {"events", "Events", Unit::count},
                            {"ended", "Ended"}});
  bool any_cpu = false;
  for (const std::uint32_t i : by_first_event(names)) {
    const ThreadInfo& thread = names.threads()[i];
    if (thread.id == base::kNoId) continue;  // what the file's head says is no thread's
    std::string name = names.thread_name(i);
    if (!selection_.threads.has(thread.id)) continue;
    if (!keeps(selection_, name)) continue;
    const std::optional<std::uint64_t> cpu = cpu_.used(i);
    any_cpu = any_cpu || cpu;
    table.rows.push_back({std::move(name), thread.id, time_cell(thread.first),
                          time_cell(thread.last), base::elapsed(thread.first, thread.last),
                          cpu ? Cell{*cpu} : Cell{}, thread.events,
                          std::string(thread.ended ? "yes" : "no")});
  }
  if (!table.rows.empty() && !any_cpu)
    table.notes.emplace_back("CPU time is not known; \"Seen for\" is wall time.");
  sort_and_limit(table, options, "");
  return {std::move(table), states(names, options), times()};
}

std::vector<std::string> Threads::headlines(const Names& names) const {
  std::uint64_t count = 0;
  std::uint64_t ended = 0;
  for (const ThreadInfo& thread : names.threads()) {
    if (thread.id == base::kNoId) continue;
    ++count;
    if (thread.ended) ++ended;
  }
  if (count == 0) return {};
  std::vector<std::string> lines{fmt::format("{}, {} ended in the trace",
                                             base::count_text(count, "thread", "threads"), ended)};
  for (const std::uint32_t thread : busiest(names)) lines.push_back(cpu_line(names, thread));
  return lines;
}

// At most three, each with a tenth of all CPU time, the one that used most first.
std::vector<std::uint32_t> Threads::busiest(const Names& names) const {
  constexpr std::size_t kMost = 3;
  constexpr std::uint64_t kLeastPart = 10;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> all;
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < names.threads().size(); ++i) {
    const std::uint64_t used = cpu_.used(i).value_or(0);
    if (used == 0 || !keeps(selection_, names.thread_name(i))) continue;
    all.emplace_back(used, i);
    sum += used;
  }
  std::ranges::stable_sort(all, std::greater{}, &std::pair<std::uint64_t, std::uint32_t>::first);
  std::vector<std::uint32_t> threads;
  for (const auto& [used, thread] : all)
    if (threads.size() < kMost && used >= sum / kLeastPart) threads.push_back(thread);
  return threads;
}

std::string Threads::cpu_line(const Names& names, std::uint32_t thread) const {
  const ThreadInfo& info = names.threads()[thread];
  const base::Time from = std::max(info.first, selection_.from);
  const base::Time to = std::min(info.last, selection_.to);
  return fmt::format("{} used {} of CPU in {}", names.thread_name(thread),
                     base::duration_text(*cpu_.used(thread)),
                     base::duration_text(from < to ? base::elapsed(from, to) : 0));
}

}  // namespace

std::shared_ptr<Analysis> make_threads(const Shared& shared) {
  return std::make_shared<Threads>(shared.selection);
}

}  // namespace polytrace::analysis
