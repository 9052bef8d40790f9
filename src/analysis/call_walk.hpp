// SPDX-License-Identifier: Apache-2.0
// Keeps the call stack of every thread from Enter, Leave and Unwind, whatever is missing:
//   - a leave of a method that is open further down closes the frames above it at the same time;
//   - a leave of a method that is not open is ignored;
//   - frames still open at the end close at their thread's last time.
// All three are counted. Calls that were recorded as sums (SummaryBegin, SummaryEnd) nest like
// calls and are on the same stack. Constant time per event, no native recursion, no allocation per
// event.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "analysis/call_totals.hpp"
#include "analysis/open_counts.hpp"
#include "analysis/work_clock.hpp"

namespace polytrace::analysis {

// What had to be put right.
struct Repairs {
  std::uint64_t ignored = 0;  // leaves without a call
  std::uint64_t cut = 0;      // calls ended by the leave of a caller
  std::uint64_t open = 0;     // calls ended by the end of the trace
  std::uint64_t dropped = 0;  // calls beyond the limit of open calls
  std::vector<std::string> notes() const;
};

// A growing array that never initialises.
template <class Frame>
struct FrameArray {
  std::unique_ptr<Frame[]> frames;
  std::size_t capacity = 0;

  void grow(std::size_t used) {
    const std::size_t larger = capacity == 0 ? 64 : capacity * 2;
    auto to = std::make_unique_for_overwrite<Frame[]>(larger);
    std::copy_n(frames.get(), used, to.get());
    frames = std::move(to);
    capacity = larger;
  }
};

// Calls of one path that the recorder summed up.
struct CallSum {
  std::size_t depth;  // of its frame
  base::Time time;    // when it was told
  std::uint64_t calls;
  std::uint64_t total;  // nanoseconds, callees included
  std::uint64_t least;
  std::uint64_t most;
};

// The Policy says what a frame holds beside `Id id; uint32_t method;` and what becomes of it:
//   static constexpr bool kAsksRecursion: whether leave() looks at `recursive`
//   Frame bottom(uint32_t thread): stands below a thread's outermost call
//   void enter(const Frame& caller, Frame& frame, const Event&, const Names&): fills a new frame,
//     field by field (a copied one would wait for its own stores)
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
  static constexpr std::size_t kMaxOpen = std::size_t{1} << 20;  // frames of all threads

  explicit CallWalk(const Selection& selection) : only_(selection.threads) {}

  void consume(const Slice& slice, Policy& policy) {
    for (const Run& run : slice.runs) {
      if (!only_.has(slice.names.threads()[run.thread].id)) continue;
      walk(run, slice, policy);
    }
  }
  // Calls function(frame) for each open call, and for what stands below them.
  template <class Function>
  void for_each_frame(const Function& function) {
    for (Stack& stack : stacks_)
      if (stack.array.capacity != 0)
        for (std::size_t i = 0; i <= stack.depth; ++i) function(stack.array.frames[i]);
  }
  // Closes what is open. Once, at the end.
  void finish(Policy& policy);
  const Repairs& repairs() const { return repairs_; }

 private:
  struct Stack {
    FrameArray<Frame> array;    // [0] is the bottom; empty while nothing is open
    std::size_t depth = 0;      // frames above the bottom
    std::uint64_t dropped = 0;  // calls open beyond the limit
    std::vector<CallSum> sums;  // open ones, outermost first
    base::Time last = base::kNoTime;
  };
  // Until when the run's thread is in what it is in.
  static base::Time last_time(const Run& run, const Slice& slice) {
    const auto& events = slice.batch.events;
    if (!slice.calls_end_with_changes) return events[run.end - 1].time;
    for (std::uint32_t i = run.end; i > run.begin; --i)
      if (events[i - 1].kind == event::Kind::Enter || events[i - 1].kind == event::Kind::Leave)
        return events[i - 1].time;
    return base::kNoTime;
  }
  // The walked stack, in registers.
  struct Ends {
    Frame* top;
    Frame* bottom;
    Frame* last;  // the highest `top` there is room for
  };

  void walk(const Run& run, const Slice& slice, Policy& policy);
  Ends open_stack(std::uint32_t thread, Policy& policy);
  void put_away(Stack& stack, const Ends& ends);
  Ends grow(Stack& stack, Ends ends) const;
  [[gnu::always_inline]] inline Frame* close(Frame* top, std::uint32_t thread, base::Time end,
                                             Policy& policy) {
    policy.leave(top[-1], top[0], end, open_.leave(thread, top->method) != 0);
    return top - 1;
  }
  // A call that is left at once, as at least half of all are: it needs no place on the stack.
  static bool is_leaf(const Event* event, const Event* end) {
    return event + 1 != end && event[1].kind == event::Kind::Leave && event[1].id == event->id;
  }
  [[gnu::always_inline]] inline void leaf(Frame& caller, const Event& enter, base::Time end,
                                          std::uint32_t thread, const Names& names,
                                          Policy& policy) {
    Frame frame;
    policy.enter(caller, frame, enter, names);
    policy.leave(caller, frame, end, Policy::kAsksRecursion && open_.is_open(thread, frame.method));
  }
  // The same of any frame.
  Frame* close_any(Frame* top, const Frame* bottom, std::uint32_t thread, base::Time end,
                   Policy& policy);
  Frame* unmatched(const Ends& ends, const Event& event, const Run& run, const Names& names,
                   Policy& policy);
  // False: the event is about something else.
  bool take_sum(Ends& ends, const Event& event, const Run& run, const Slice& slice, Policy& policy);

  event::ThreadChoice only_;
  std::vector<Stack> stacks_;  // by thread index
  FrameArray<Frame> spare_;    // of a thread that had left everything: most can share it
  OpenCounts open_;
  std::size_t resting_frames_ = 0;  // of all threads but the walked one
  Repairs repairs_;
};

template <class Policy>
void CallWalk<Policy>::walk(const Run& run, const Slice& slice, Policy& policy) {
  Ends ends = open_stack(run.thread, policy);
  policy.clock.turn_to(run.thread);
  Stack& stack = stacks_[run.thread];
  const Event* const end = slice.batch.events.begin() + run.end;
  for (const Event* event = slice.batch.events.begin() + run.begin; event != end; ++event) {
    if (event->kind == event::Kind::Enter) {
      if (is_leaf(event, end) && stack.dropped == 0) {
        leaf(*ends.top, *event, event[1].time, run.thread, slice.names, policy);
        ++event;
        continue;
      }
      if (ends.top == ends.last) [[unlikely]]
        ends = grow(stack, ends);
      if (ends.top == ends.last) [[unlikely]] {
        ++stack.dropped, ++repairs_.dropped;
        continue;
      }
      policy.enter(ends.top[0], ends.top[1], *event, slice.names);
      open_.enter(run.thread, (++ends.top)->method);
    } else if (event->kind == event::Kind::Leave || event->kind == event::Kind::Unwind) {
      if (stack.dropped != 0) [[unlikely]]
        --stack.dropped;
      else if (ends.top->id == event->id && ends.top != ends.bottom) [[likely]]
        ends.top = close(ends.top, run.thread, event->time, policy);
      else ends.top = unmatched(ends, *event, run, slice.names, policy);
    } else if (!take_sum(ends, *event, run, slice, policy)) {
      policy.clock.look(slice.batch, *event);
    }
  }
  stack.last = std::max(stack.last, last_time(run, slice));
  put_away(stack, ends);
}

template <class Policy>
auto CallWalk<Policy>::open_stack(std::uint32_t thread, Policy& policy) -> Ends {
  if (thread >= stacks_.size()) stacks_.resize(thread + std::size_t{1});
  Stack& stack = stacks_[thread];
  resting_frames_ -= stack.depth;
  if (stack.array.capacity == 0) {
    std::swap(stack.array, spare_);
    if (stack.array.capacity == 0) stack.array.grow(0);
    stack.array.frames[0] = policy.bottom(thread);
  }
  Frame* bottom = stack.array.frames.get();
  return {bottom + stack.depth, bottom, bottom + stack.array.capacity - 1};
}

template <class Policy>
void CallWalk<Policy>::put_away(Stack& stack, const Ends& ends) {
  stack.depth = static_cast<std::size_t>(ends.top - ends.bottom);
  resting_frames_ += stack.depth;
  if (stack.depth != 0) return;
  if (spare_.capacity < stack.array.capacity) std::swap(spare_, stack.array);
  stack.array = {};
}

// The same ends when that would be over the limit.
template <class Policy>
auto CallWalk<Policy>::grow(Stack& stack, Ends ends) const -> Ends {
  const auto used = static_cast<std::size_t>(ends.top - ends.bottom) + 1;
  if (used + resting_frames_ >= kMaxOpen) return ends;
  stack.array.grow(used);
  Frame* bottom = stack.array.frames.get();
  return {bottom + used - 1, bottom, bottom + stack.array.capacity - 1};
}

template <class Policy>
auto CallWalk<Policy>::close_any(Frame* top, const Frame* bottom, std::uint32_t thread,
                                 base::Time end, Policy& policy) -> Frame* {
  if constexpr (Policy::kTakesSums) {
    std::vector<CallSum>& sums = stacks_[thread].sums;
    const auto depth = static_cast<std::size_t>(top - bottom);
    while (!sums.empty() && sums.back().depth > depth) sums.pop_back();
    if (!sums.empty() && sums.back().depth == depth) {
      policy.sum(top[-1], top[0], sums.back(), open_.leave(thread, top->method) != 0);
      sums.pop_back();
      return top - 1;
    }
  }
  return close(top, thread, end, policy);
}

template <class Policy>
auto CallWalk<Policy>::unmatched(const Ends& ends, const Event& event, const Run& run,
                                 const Names& names, Policy& policy) -> Frame* {
  Frame* top = ends.top;
  const std::uint32_t method = names.methods().index(event.id);
  if (!open_.is_open(run.thread, method)) {
    ++repairs_.ignored;
    return top;
  }
  for (; top->method != method; ++repairs_.cut)
    top = close_any(top, ends.bottom, run.thread, event.time, policy);
  return close_any(top, ends.bottom, run.thread, event.time, policy);
}

template <class Policy>
bool CallWalk<Policy>::take_sum(Ends& ends, const Event& event, const Run& run, const Slice& slice,
                                Policy& policy) {
  const bool begins = event.kind == event::Kind::SummaryBegin;
  if (!Policy::kTakesSums || (!begins && event.kind != event::Kind::SummaryEnd)) return false;
  Stack& stack = stacks_[run.thread];
  if (!begins) {
    if (stack.dropped != 0) --stack.dropped;
    else ends.top = unmatched(ends, event, run, slice.names, policy);
    return true;
  }
  if (ends.top == ends.last) ends = grow(stack, ends);
  if (ends.top == ends.last) {
    ++stack.dropped, ++repairs_.dropped;
    return true;
  }
  policy.enter(ends.top[0], ends.top[1], event, slice.names);
  ++ends.top;
  ends.top->id = base::kNoId;  // no leave of a call is its end
  open_.enter(run.thread, ends.top->method);
  const auto sum = slice.batch.details_or<event::SummaryBegin>(event, {});
  const auto time = [](base::Duration told) {
    return not_negative(static_cast<std::uint64_t>(told));
  };
  const auto depth = static_cast<std::size_t>(ends.top - ends.bottom);
  while (!stack.sums.empty() && stack.sums.back().depth >= depth) stack.sums.pop_back();
  stack.sums.push_back(
      {depth, event.time, sum.calls, time(sum.total), time(sum.least), time(sum.most)});
  return true;
}

template <class Policy>
void CallWalk<Policy>::finish(Policy& policy) {
  for (std::uint32_t thread = 0; thread < stacks_.size(); ++thread) {
    Stack& stack = stacks_[thread];
    Frame* top = stack.array.frames.get() + stack.depth;
    repairs_.open += stack.depth + stack.dropped;
    policy.clock.turn_to(thread);
    policy.clock.end_waits(stack.last);
    for (; stack.depth != 0; --stack.depth)
      top = close_any(top, stack.array.frames.get(), thread, stack.last, policy);
    stack.array = {};
  }
  spare_ = {};
}

}  // namespace polytrace::analysis
