// SPDX-License-Identifier: Apache-2.0
// Walks the calls of every thread, whatever is missing: which call a leave ends says
// event/open_calls.hpp; calls still open at the end close at their thread's last time; a thread's
// order wins over its clock: a time before the one before counts as that one. Calls that were
// recorded as sums (SummaryBegin, SummaryEnd) nest like calls and are on the same stack: the end of
// a sum ends the innermost open one of its method, and what it called. Constant time per
// event, no native recursion, no allocation per event.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "analysis/calls/call_totals.hpp"
#include "analysis/calls/open_counts.hpp"
#include "analysis/table/words.hpp"
#include "event/open_calls.hpp"
#include "slice/call_site.hpp"
#include "slice/work_clock.hpp"

namespace polytrace::analysis {

// What had to be put right, in plain text.
std::vector<std::string> repair_notes(const event::CallAccount& calls);

// Calls of one path that the recorder summed up.
struct CallSum {
  base::Id id;        // the method
  std::size_t depth;  // of its frame
  base::Time time;    // when it was told
  std::uint64_t calls;
  std::uint64_t total;  // nanoseconds, callees included
  std::uint64_t least;
  std::uint64_t most;
};

// What every walk knows of an open call.
struct WalkedCall : event::OpenCall {
  std::uint32_t method;  // index; the policy's to fill
  std::uint32_t stack;   // as of CallSites; the walk's
};

// The Policy says what a frame, derived from WalkedCall, holds besides and what becomes of it:
//   static constexpr bool kAsksRecursion: whether leave() looks at `recursive`
//   Frame bottom(uint32_t thread): stands below a thread's outermost call
//   void enter(const Frame& caller, Frame& frame, const Event&, Time start, const Names&): fills a
//     new frame, field by field (a copied one would wait for its own stores); `start` is the
//     event's time, or that of the call before it where it was before that
//   void leave(Frame& caller, const Frame&, Time end, bool recursive)
//     recursive: another call of the method stays open in this thread
//   static constexpr bool kTakesSums: whether sums are for it; if so,
//   void sum(Frame& caller, const Frame&, const CallSum&, bool recursive): as leave()
//   WorkClock clock: told of each run's thread and of its events that are not calls
template <class Policy>
class CallWalk {
 public:
  using Frame = typename Policy::Frame;
  using Event = event::Event;

  explicit CallWalk(const Selection& selection) : only_(selection.threads) {}

  void consume(const Slice& slice, Policy& policy) {
    for (const Run& run : slice.runs) {
      if (!only_.has(slice.names.threads()[run.thread].id)) continue;
      walk(run, slice, policy);
    }
    if (slice.sites != nullptr) slice.sites->found = true;
  }
  // Calls function(frame) for each open call, and for what stands below them.
  template <class Function>
  void for_each_frame(const Function& function) {
    for (Stack& stack : stacks_)
      for (Frame& frame : stack.calls.with_bottom()) function(frame);
  }
  // The last time of the thread of that index; kNoTime before any.
  base::Time last_of(std::uint32_t thread) const {
    return thread < stacks_.size() ? stacks_[thread].last : base::kNoTime;
  }
  // Closes what is open. Once, at the end.
  void finish(Policy& policy);
  const event::CallAccount& repairs() const { return account_; }

 private:
  using Calls = event::OpenCalls<Frame>;
  using Ends = typename Calls::Ends;
  struct Stack {
    Calls calls;  // has no memory while nothing is open
    event::OpenCalls<CallSum> sums;
    base::Time last = base::kNoTime;
    base::Time now = std::numeric_limits<base::Time>::min();  // of the last call's begin or end
  };
  // A time of a call, which is not before `now`.
  [[gnu::always_inline]] inline base::Time in_order(base::Time time, base::Time& now) {
    if (time >= now) [[likely]]
      return now = time;
    ++account_.backwards;
    return now;
  }
  // Until when the run's thread is in what it is in.
  static base::Time last_time(const Run& run, const Slice& slice) {
    const auto& events = slice.batch.events;
    if (!slice.calls_end_with_changes) return events[run.end - 1].time;
    for (std::uint32_t i = run.end; i > run.begin; --i)
      if (events[i - 1].kind == event::Kind::Enter || events[i - 1].kind == event::Kind::Leave)
        return events[i - 1].time;
    return base::kNoTime;
  }
  void walk(const Run& run, const Slice& slice, Policy& policy);
  // As far as the calls stay counted, or not counted: what neither loop has to ask at each call.
  // Where the other loop goes on.
  template <bool kCounted>
  const Event* walk_on(const Event* event, const Event* end, const Run& run, const Slice& slice,
                       Ends& ends, Policy& policy);
  Ends take(std::uint32_t thread, Policy& policy);
  void put(Stack& stack, const Ends& ends);
  [[gnu::always_inline]] inline Frame* close(Frame* top, std::uint32_t thread, base::Time end,
                                             Policy& policy) {
    policy.leave(top[-1], top[0], end, leave_method(thread, top->method));
    return top - 1;
  }
  // Whether another call of the method stays open, if the policy asks.
  [[gnu::always_inline]] inline bool leave_method(std::uint32_t thread, std::uint32_t method) {
    if constexpr (Policy::kAsksRecursion) return methods_.leave(thread, method) != 0;
    else return false;
  }
  // A call that is left at once, as at least half of all are: it needs no place on the stack.
  static bool is_leaf(const Event* event, const Event* end, const event::Batch& batch) {
    return event + 1 != end && event[1].kind == event::Kind::Leave && event[1].id == event->id &&
           (event[1].detail == event::kAbsent ||
            ends(event::ticket_of(batch, *event), event[1], batch));
  }
  // Whether the tickets let a leave end that call of its method.
  static bool ends(event::u64 ticket, const Event& leave, const event::Batch& batch) {
    return event::tickets_agree(ticket, event::ticket_of(batch, leave));
  }
  // A leaf, whose frame is none of the stack's.
  [[gnu::always_inline]] inline void leave_leaf(Frame& caller, const Frame& leaf, base::Time end,
                                                std::uint32_t thread, Policy& policy) {
    policy.leave(caller, leaf, end,
                 Policy::kAsksRecursion && methods_.is_open(thread, leaf.method));
  }
  // Whether there is room for another call, which is made where there is none.
  [[gnu::always_inline]] inline bool has_room(Stack& stack, Ends& ends) {
    if (ends.top == ends.last) [[unlikely]]
      ends = stack.calls.grown(ends, account_);
    return ends.top != ends.last;
  }
  // What the policy has filled the frame above the innermost one of is now that.
  [[gnu::always_inline]] inline void enter(Ends& ends, event::OpenCall call, std::uint32_t thread) {
    ++ends.top;
    ends.top->id = call.id;
    ends.top->ticket = call.ticket;
    ends.top->stack = CallSites::kUnknown;
    if constexpr (Policy::kAsksRecursion) methods_.enter(thread, ends.top->method);
  }
  // A leaf that is called where no more calls can be open: it counts all the same.
  void take_leaf(Frame& caller, const Event& enter, base::Time start, base::Time end,
                 std::uint32_t thread, const Names& names, Policy& policy) {
    Frame leaf;
    policy.enter(caller, leaf, enter, start, names);
    leave_leaf(caller, leaf, end, thread, policy);
  }
  // The same of any call.
  Frame* close_any(Stack& stack, Frame* top, const Frame* bottom, std::uint32_t thread,
                   base::Time end, Policy& policy);
  // A leave of a call that is not innermost.
  // Ends are handed in and back as values: what is referred to does not stay in registers.
  Ends leave(Stack& stack, Ends ends, const event::OpenCall& call, base::Time time,
             std::uint32_t thread, Policy& policy);
  static bool is_sum(event::Kind kind) {
    return Policy::kTakesSums &&
           (kind == event::Kind::SummaryBegin || kind == event::Kind::SummaryEnd);
  }
  Ends take_sum(Stack& stack, Ends ends, const Event& event, const Run& run, const Slice& slice,
                Policy& policy);
  Ends begin_sum(Stack& stack, Ends ends, const Event& event, const Run& run, const Slice& slice,
                 Policy& policy);
  Ends end_sum(Stack& stack, Ends ends, const Event& event, std::uint32_t thread, Policy& policy);

  event::ThreadChoice only_;
  std::vector<Stack> stacks_;  // by thread index
  Calls spare_;                // of a thread that had left everything: most can share its memory
  OpenCounts methods_;         // where the policy asks
  event::CallAccount account_;
};

template <class Policy>
void CallWalk<Policy>::walk(const Run& run, const Slice& slice, Policy& policy) {
  Ends ends = take(run.thread, policy);
  policy.clock.turn_to(run.thread);
  const Event* event = slice.batch.events.begin() + run.begin;
  const Event* const end = slice.batch.events.begin() + run.end;
  while (event != end)
    event = stacks_[run.thread].calls.counts() == nullptr
                ? walk_on<false>(event, end, run, slice, ends, policy)
                : walk_on<true>(event, end, run, slice, ends, policy);
  Stack& stack = stacks_[run.thread];
  stack.last = std::max({stack.last, last_time(run, slice), stack.now});
  put(stack, ends);
}

template <class Policy>
template <bool kCounted>
auto CallWalk<Policy>::walk_on(const Event* event, const Event* end, const Run& run,
                               const Slice& slice, Ends& told, Policy& policy) -> const Event* {
  Stack& stack = stacks_[run.thread];
  const event::Batch& batch = slice.batch;
  const Names& names = slice.names;
  const std::uint32_t thread = run.thread;
  Ends ends = told;
  base::Time now = stack.now;
  for (; event != end; ++event) {
    if (event->kind == event::Kind::Enter) {
      const base::Time start = in_order(event->time, now);
      if (!has_room(stack, ends)) [[unlikely]] {
        if (stack.calls.dropped() != 0 || !is_leaf(event, end, batch)) {
          stack.calls.drop(account_);
          continue;
        }
        take_leaf(*ends.top, *event, start, in_order(event[1].time, now), thread, names, policy);
        ++event;
        continue;
      }
      // Before it is known whether it is a leaf, which is hard to foresee.
      policy.enter(ends.top[0], ends.top[1], *event, start, names);
      if (is_leaf(event, end, batch)) {
        leave_leaf(ends.top[0], ends.top[1], in_order(event[1].time, now), thread, policy);
        ++event;
        continue;
      }
      enter(ends, event::called(batch, *event), thread);
      if constexpr (kCounted) stack.calls.counts()->add(*ends.top);
    } else if (event->kind == event::Kind::Leave || event->kind == event::Kind::Unwind) {
      const base::Time time = in_order(event->time, now);
      if (stack.calls.dropped() != 0) [[unlikely]]
        stack.calls.leave_dropped();
      else if (ends.top->id == event->id && ends.top != ends.bottom &&
               (event->detail == event::kAbsent || this->ends(ends.top->ticket, *event, batch)))
          [[likely]] {
        if constexpr (kCounted) stack.calls.counts()->remove(*ends.top);
        ends.top = close(ends.top, thread, time, policy);
      } else {
        ends = leave(stack, ends, event::called(batch, *event), time, thread, policy);
        if (kCounted != (stack.calls.counts() != nullptr)) {
          ++event;
          break;
        }
      }
    } else if (is_sum(event->kind)) {
      ends = take_sum(stack, ends, *event, run, slice, policy);
    } else {
      policy.clock.look(batch, *event);
      if (slice.sites != nullptr && !slice.sites->found)
        slice.sites->find(std::span(ends.bottom + 1, ends.top + 1), *event,
                          static_cast<std::uint32_t>(event - batch.events.begin()), names);
    }
  }
  told = ends;
  stack.now = now;
  return event;
}

template <class Policy>
auto CallWalk<Policy>::take(std::uint32_t thread, Policy& policy) -> Ends {
  if (thread >= stacks_.size()) stacks_.resize(thread + std::size_t{1});
  Calls& calls = stacks_[thread].calls;
  if (calls.has_memory()) return calls.take(account_);
  std::swap(calls, spare_);
  const Ends ends = calls.take(account_);
  calls.bottom() = policy.bottom(thread);
  return ends;
}

template <class Policy>
void CallWalk<Policy>::put(Stack& stack, const Ends& ends) {
  stack.calls.put(ends, account_);
  if (stack.calls.empty() && stack.calls.dropped() == 0) stack.calls.give_memory(spare_);
}

template <class Policy>
auto CallWalk<Policy>::close_any(Stack& stack, Frame* top, const Frame* bottom,
                                 std::uint32_t thread, base::Time end, Policy& policy) -> Frame* {
  if (stack.calls.counts() != nullptr) stack.calls.counts()->remove(*top);
  if constexpr (Policy::kTakesSums) {
    auto& sums = stack.sums;
    const auto depth = static_cast<std::size_t>(top - bottom);
    while (!sums.empty() && sums.innermost().depth > depth) sums.keep(sums.depth() - 1);
    if (!sums.empty() && sums.innermost().depth == depth) {
      policy.sum(top[-1], top[0], sums.innermost(), leave_method(thread, top->method));
      sums.keep(sums.depth() - 1);
      return top - 1;
    }
  }
  return close(top, thread, end, policy);
}

template <class Policy>
auto CallWalk<Policy>::leave(Stack& stack, Ends ends, const event::OpenCall& call, base::Time time,
                             std::uint32_t thread, Policy& policy) -> Ends {
  stack.calls.set_top(ends.top + 1);
  const std::size_t stay = stack.calls.find(call);
  if (stay == stack.calls.depth()) {
    ++account_.ignored;
    return ends;
  }
  account_.cut += stack.calls.depth() - stay - 1;
  while (ends.top != ends.bottom + stay)
    ends.top = close_any(stack, ends.top, ends.bottom, thread, time, policy);
  return ends;
}

template <class Policy>
auto CallWalk<Policy>::take_sum(Stack& stack, Ends ends, const Event& event, const Run& run,
                                const Slice& slice, Policy& policy) -> Ends {
  if constexpr (!Policy::kTakesSums) return ends;
  else if (event.kind == event::Kind::SummaryBegin)
    return begin_sum(stack, ends, event, run, slice, policy);
  else return end_sum(stack, ends, event, run.thread, policy);
}

template <class Policy>
auto CallWalk<Policy>::begin_sum(Stack& stack, Ends ends, const Event& event, const Run& run,
                                 const Slice& slice, Policy& policy) -> Ends {
  // No leave of a call is its end.
  constexpr event::OpenCall kSum{base::kNoId, ~event::u64{0}};
  if (!has_room(stack, ends)) {
    stack.calls.drop(account_);
    return ends;
  }
  policy.enter(ends.top[0], ends.top[1], event, event.time, slice.names);
  enter(ends, kSum, run.thread);
  if (stack.calls.counts() != nullptr) stack.calls.counts()->add(*ends.top);
  const auto sum = slice.batch.details_or<event::SummaryBegin>(event, {});
  const auto time = [](base::Duration told) {
    return not_negative(static_cast<std::uint64_t>(told));
  };
  auto& sums = stack.sums;
  const auto depth = static_cast<std::size_t>(ends.top - ends.bottom);
  while (!sums.empty() && sums.innermost().depth >= depth) sums.keep(sums.depth() - 1);
  sums.enter(
      {event.id, depth, event.time, sum.calls, time(sum.total), time(sum.least), time(sum.most)});
  return ends;
}

template <class Policy>
auto CallWalk<Policy>::end_sum(Stack& stack, Ends ends, const Event& event, std::uint32_t thread,
                               Policy& policy) -> Ends {
  if (stack.calls.dropped() != 0) {
    stack.calls.leave_dropped();
    return ends;
  }
  auto& sums = stack.sums;
  const auto depth = static_cast<std::size_t>(ends.top - ends.bottom);
  while (!sums.empty() && sums.innermost().depth > depth) sums.keep(sums.depth() - 1);
  const std::size_t stay = sums.find({event.id, 0});
  if (stay == sums.depth()) {
    ++account_.ignored;
    return ends;
  }
  const Frame* const caller = ends.bottom + sums[stay].depth - 1;
  account_.cut += static_cast<std::uint64_t>(ends.top - caller) - 1;
  while (ends.top != caller)
    ends.top = close_any(stack, ends.top, ends.bottom, thread, event.time, policy);
  return ends;
}

template <class Policy>
void CallWalk<Policy>::finish(Policy& policy) {
  for (std::uint32_t thread = 0; thread < stacks_.size(); ++thread) {
    Stack& stack = stacks_[thread];
    account_.unended += stack.calls.depth() + stack.calls.dropped();
    policy.clock.turn_to(thread);
    policy.clock.end_waits(stack.last);
    if (!stack.calls.empty()) {
      Ends ends = stack.calls.take(account_);
      while (ends.top != ends.bottom)
        ends.top = close_any(stack, ends.top, ends.bottom, thread, stack.last, policy);
    }
    stack = {};
  }
  spare_ = {};
}

}  // namespace polytrace::analysis
