// SPDX-License-Identifier: Apache-2.0
#include "service/input/overview.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <type_traits>

#include "event/missing.hpp"
#include "event/visit.hpp"
#include "format/format.hpp"

namespace polytrace::service {
namespace {

using base::kNoTime;
using base::Time;
using event::Event;
using event::Kind;

// What heads a trace has no time of its own.
bool is_heading(Kind kind) { return event::role_of(kind) == event::Role::heading; }

Time earlier(Time a, Time b) { return a == kNoTime ? b : b == kNoTime ? a : std::min(a, b); }
// kNoTime is the smallest of all.
Time later(Time a, Time b) { return std::max(a, b); }

void extend(ThreadSpan& span, const ThreadSpan& more) {
  span.events += more.events;
  span.first = earlier(span.first, more.first);
  span.last = later(span.last, more.last);
}

struct FactCollector {
  std::vector<Fact>& facts;

  template <event::Tag tag, class T>
  void field(std::string_view name, const T& value) {
    if constexpr (event::is_text(tag)) {
      if (!value.empty()) facts.push_back({name, std::string(value)});
    } else if constexpr (std::is_integral_v<T>) {
      if (value != 0) facts.push_back({name, std::uint64_t{value}});
    }
  }
};

}  // namespace

std::uint64_t Overview::total() const {
  return std::accumulate(events.begin(), events.end(), std::uint64_t{0});
}

std::uint64_t Overview::thread_count() const {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(threads, [](const auto& thread) { return thread.id != base::kNoId; }));
}

base::Duration Overview::span() const {
  base::Duration difference = 0;
  if (first == kNoTime) return 0;
  return __builtin_sub_overflow(last, first, &difference)
             ? std::numeric_limits<base::Duration>::max()
             : difference;
}

ThreadSpan& OverviewConsumer::Counts::thread(base::Id id) {
  const std::uint32_t index = thread_ids.index(id);
  if (index == threads.size()) threads.push_back({id});
  return threads[index];
}

// Counts the events from `at` on that are of one thread and head nothing; returns the first one
// behind them.
const Event* OverviewConsumer::Counts::add_run(const Event* at, const Event* end,
                                               ThreadSpan& thread) {
  const Event* const begin = at;
  const auto slot = at->thread;
  Time least = at->time, most = at->time;
  for (; at != end && at->thread == slot && !is_heading(at->kind); ++at) {
    ++lanes[static_cast<std::size_t>(at - begin) % kLanes][static_cast<std::uint8_t>(at->kind)];
    least = std::min(least, at->time);
    most = std::max(most, at->time);
  }
  thread.events += static_cast<std::uint64_t>(at - begin);
  thread.first = earlier(thread.first, least);
  thread.last = later(thread.last, most);
  return at;
}

// What the reader counted already.
void OverviewConsumer::Counts::add_calls(const event::CallSpan& calls, const Event* first,
                                         ThreadSpan& thread) {
  for (std::size_t i = 0; i < calls.kinds.size(); ++i)
    lanes[0][static_cast<std::size_t>(Kind::Enter) + i] += calls.kinds[i];
  const std::size_t count = calls.end - calls.begin;
  thread.events += count;
  thread.first = earlier(thread.first, first->time);
  thread.last = later(thread.last, first[count - 1].time);
}

void OverviewConsumer::Counts::add(const event::Batch& batch) {
  const Event* const events = batch.events.begin();
  event::leap_over_calls(
      batch.events,
      [&](std::uint32_t begin, std::uint32_t stop) {
        const Event* at = events + begin;
        const Event* const end = events + stop;
        while (at != end)
          if (is_heading(at->kind)) ++lanes[0][static_cast<std::uint8_t>(at++->kind)];
          else at = add_run(at, end, thread(batch.thread(*at)));
      },
      [&](const event::CallSpan& calls) {
        const Event* const first = events + calls.begin;
        add_calls(calls, first, thread(batch.thread(*first)));
      });
}

void OverviewConsumer::survey(const event::Batch& batch, unsigned worker) {
  counts_[worker].add(batch);
}

ThreadSpan& OverviewConsumer::named(base::Id id) {
  const std::uint32_t index = thread_ids_.index(id);
  if (index == overview_.threads.size()) overview_.threads.push_back({id});
  return overview_.threads[index];
}

void OverviewConsumer::learn(const event::Batch& batch, const Event& event) {
  if (event.kind == Kind::Process && overview_.process.empty()) {
    overview_.pid = event.id;
    FactCollector collector{overview_.process};
    event::visit_fields(collector, batch.details_or<event::Process>(event, {}));
  }
  if (event.detail == event::kAbsent) return;
  if (event.kind == Kind::Thread) {
    const auto& thread = batch.details<event::Thread>(event);
    if (!thread.name.empty()) named(event.id).name = thread.name;
    if (thread.life == event::Life::end) ++named(event.id).lives;
  } else if (event.kind == Kind::Clock && overview_.wall == kNoTime) {
    overview_.wall = batch.details<event::Clock>(event).wall;
    overview_.wall_at = event.time;
  } else if (event.kind == Kind::Recording) {
    const std::string_view name = batch.details<event::Recording>(event).name;
    if (!name.starts_with(event::kCutOff)) return;
    overview_.cut_off = name.substr(event::kCutOff.size());
    overview_.cut_off_at = event.time;
  } else if (event.kind == Kind::Setting) {
    overview_.uninstrumented.take(batch.details<event::Setting>(event));
  }
}

bool OverviewConsumer::consume(const event::Batch& batch) {
  if (batch.column<event::Thread>().empty() && batch.column<event::Process>().empty() &&
      batch.column<event::Clock>().empty() && batch.column<event::Recording>().empty() &&
      batch.column<event::Setting>().empty())
    return true;
  for (const Event& event : batch.events) learn(batch, event);
  return true;
}

void OverviewConsumer::count(const std::array<std::uint64_t, event::kKindCount>& kinds,
                             std::span<const ThreadSpan> threads) {
  Counts& counts = counts_.emplace_back();
  std::ranges::copy(kinds, counts.lanes[0].begin());
  for (const ThreadSpan& span : threads) extend(counts.thread(span.id), span);
}

void OverviewConsumer::merge(const Counts& counts) {
  for (const auto& lane : counts.lanes) {
    for (std::size_t kind = 0; kind < event::kKindCount; ++kind)
      overview_.events[kind] += lane[kind];
  }
  for (const ThreadSpan& span : counts.threads) {
    extend(named(span.id), span);
    overview_.first = earlier(overview_.first, span.first);
    overview_.last = later(overview_.last, span.last);
  }
}

Overview OverviewConsumer::take() {
  for (const Counts& counts : counts_) merge(counts);
  counts_.clear();
  auto& threads = overview_.threads;
  std::sort(threads.begin(), threads.end(), [](const ThreadSpan& a, const ThreadSpan& b) {
    // Threads that are only named come last.
    constexpr Time kNever = std::numeric_limits<Time>::max();
    const Time left = a.first == kNoTime ? kNever : a.first;
    const Time right = b.first == kNoTime ? kNever : b.first;
    return left != right ? left < right : a.id < b.id;
  });
  return std::move(overview_);
}

namespace {

constexpr std::uint64_t kMostEvents = 8'000'000;

bool can_be_typed(std::string_view name) {
  return std::ranges::none_of(
      name, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

class ThreadNames final : public event::Consumer {
 public:
  std::vector<std::string> names;

  bool consume(const event::Batch& batch) override {
    if (!batch.column<event::Thread>().empty()) {
      for (const event::Event& event : batch.events) learn(batch, event);
    }
    seen_ += batch.events.size();
    return seen_ < kMostEvents;
  }

 private:
  void learn(const event::Batch& batch, const event::Event& event) {
    if (event.kind != event::Kind::Thread || event.detail == event::kAbsent) return;
    const std::string_view name = batch.details<event::Thread>(event).name;
    if (!name.empty() && can_be_typed(name) && std::ranges::find(names, name) == names.end())
      names.emplace_back(name);
  }
  std::uint64_t seen_ = 0;
};

}  // namespace

std::vector<std::string> quick_thread_names(const std::string& file) {
  ThreadNames consumer;
  if (auto source = base::open_source(file)) {
    if (auto opened = format::open(std::move(*source))) event::pump(*opened->reader, consumer);
  }
  return consumer.names;
}

CutOff cut_off_of(const Overview& overview) {
  return {overview.cut_off, overview.cut_off_at, overview.cut_off.starts_with(event::kAtLimit)};
}

CutOff or_without_end(CutOff before, const std::vector<base::Notice>& notices) {
  const bool open = std::ranges::any_of(
      notices, [](const base::Notice& notice) { return notice.code == base::Code::segments_read; });
  if (!before.is_cut() && open)
    before.why = "it has no end: the program was killed or still runs, or the output failed";
  return before;
}

bool CutOffWatch::consume(const event::Batch& batch) {
  if (!batch.column<event::Recording>().empty())
    for (const event::Event& event : batch.events) {
      if (event.kind != event::Kind::Recording || event.detail == event::kAbsent) continue;
      const std::string_view name = batch.details<event::Recording>(event).name;
      if (!name.starts_with(event::kCutOff)) continue;
      const std::string_view why = name.substr(event::kCutOff.size());
      found_ = {std::string(why), event.time, why.starts_with(event::kAtLimit)};
    }
  return to_.consume(batch);
}

}  // namespace polytrace::service
