// SPDX-License-Identifier: Apache-2.0
// Keeps the call stack of every thread from Enter, Leave and Unwind, whatever is missing:
//   - a leave of a method that is open further down closes the frames above it at the same time;
//   - a leave of a method that is not open is ignored;
//   - frames still open at the end close at their thread's last time.
// All three are counted. Constant time per event, no native recursion, no allocation per event.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "analysis/analysis.hpp"
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

// The Policy says what a frame holds beside `Id id; uint32_t method;` and what becomes of it:
//   static constexpr bool kAsksRecursion: whether leave() looks at `recursive`
//   Frame bottom(uint32_t thread): stands below a thread's outermost call
//   void enter(const Frame& caller, Frame& frame, const Event&, const Names&): fills a new frame,
//     field by field (a copied one would wait for its own stores)
//   void leave(Frame& caller, const Frame&, Time end, bool recursive)
//     recursive: another call of the method stays open in this thread
//   WorkClock clock: told of each run's thread and of its events that are not calls
template <class Policy>
class CallWalk {
 public:
  using Frame = typename Policy::Frame;
  using Event = event::Event;
  static constexpr std::size_t kMaxOpen = std::size_t{1} << 20;  // frames of all threads

  explicit CallWalk(const Selection& selection) : only_(selection.thread) {}

  void consume(const Slice& slice, Policy& policy) {
    for (const Run& run : slice.runs) {
      if (only_ && slice.names.threads()[run.thread].id != *only_) continue;
      walk(run, slice, policy);
    }
  }
  // Closes what is open. Once, at the end.
  void finish(Policy& policy);
  const Repairs& repairs() const { return repairs_; }

 private:
  struct Stack {
    FrameArray<Frame> array;    // [0] is the bottom; empty while nothing is open
    std::size_t depth = 0;      // frames above the bottom
    std::uint64_t dropped = 0;  // calls open beyond the limit
    base::Time last = base::kNoTime;
  };
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
  Frame* unmatched(Frame* top, const Event& event, const Run& run, const Names& names,
                   Policy& policy);

  std::optional<base::Id> only_;
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
      else ends.top = unmatched(ends.top, *event, run, slice.names, policy);
    } else {
      policy.clock.look(slice.batch, *event);
    }
  }
  stack.last = std::max(stack.last, end[-1].time);
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
auto CallWalk<Policy>::unmatched(Frame* top, const Event& event, const Run& run, const Names& names,
                                 Policy& policy) -> Frame* {
  const std::uint32_t method = names.methods().index(event.id);
  if (!open_.is_open(run.thread, method)) {
    ++repairs_.ignored;
    return top;
  }
  for (; top->method != method; ++repairs_.cut) top = close(top, run.thread, event.time, policy);
  return close(top, run.thread, event.time, policy);
}

template <class Policy>
void CallWalk<Policy>::finish(Policy& policy) {
  for (std::uint32_t thread = 0; thread < stacks_.size(); ++thread) {
    Stack& stack = stacks_[thread];
    Frame* top = stack.array.frames.get() + stack.depth;
    repairs_.open += stack.depth + stack.dropped;
    policy.clock.turn_to(thread);
    policy.clock.end_waits(stack.last);
    for (; stack.depth != 0; --stack.depth) top = close(top, thread, stack.last, policy);
    stack.array = {};
  }
  spare_ = {};
}

}  // namespace polytrace::analysis
