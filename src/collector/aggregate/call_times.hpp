// SPDX-License-Identifier: Apache-2.0
// Puts calls into windows, as CallWalk finds them: each counts where it ends, its own time is split
// at the borders. Time is told as it passes, so that calls that are still open have theirs, too.
// One thread at a time.
#pragma once

#include "analysis/calls/call_walk.hpp"
#include "base/slot.hpp"
#include "collector/aggregate/windows.hpp"
#include "slice/stacks.hpp"

namespace polytrace::collector {

// The Policy of a CallWalk.
class CallTimes {
 public:
  static constexpr bool kAsksRecursion = false;
  static constexpr bool kTakesSums = true;
  struct Frame : analysis::WalkedCall {
    Time start;
    std::uint64_t callees;  // of a sum: their time
    std::uint32_t node;
    std::uint32_t outer;  // the node that the thread was in before; of a bottom the thread
    bool is_sum;
  };

  CallTimes(Windows& windows, std::uint32_t most_nodes)
      : clock{&windows, {}, 0}, tree(most_nodes) {}

  Frame bottom(std::uint32_t thread) {
    return {{{base::kNoId, 0}, slice::NameTable::kNone, 0}, 0, 0, 0, thread, false};
  }
  static bool is_bottom(const Frame& frame) { return frame.method == slice::NameTable::kNone; }
  void enter(const Frame& caller, Frame& frame, const event::Event& event, base::Time start,
             const slice::Names& names) {
    frame.method = names.methods().index(event.id);
    frame.node = tree.child(caller.node, frame.method);
    frame.start = start;
    frame.callees = 0;
    frame.is_sum = event.kind == event::Kind::SummaryBegin;
    if (frame.is_sum) return;
    Clock::Thread& thread = clock.pass(start);
    frame.outer = thread.node;
    thread.node = frame.node;
  }
  void leave(Frame& caller, const Frame& frame, Time end, bool) {
    if (frame.is_sum) {
      clock.pass(end).node = frame.outer;
      return;
    }
    const std::uint64_t duration = base::elapsed(frame.start, end);
    if (caller.is_sum) caller.callees += duration;
    Window* const window = clock.end_call(end, frame);
    if (window == nullptr) return;
    Window::Method& method = window->methods[frame.method];
    method.total += duration;
    method.sketch.add(duration);
    method.most = std::max(method.most, duration);
    if (method.longest <= duration) keep_longest(method, frame, duration);
  }
  void sum(Frame& caller, const Frame& frame, const analysis::CallSum& sum, bool) {
    if (caller.is_sum) caller.callees += sum.total;
    else clock.now().debt += sum.total;
    Window* const window = clock.windows->at(sum.time);
    if (window == nullptr) return;
    window->add(Carrier::calls, {frame.node},
                {sum.calls, analysis::not_negative(sum.total - frame.callees)});
    Window::Method& method = window->methods[frame.method];
    method.total += sum.total;
    method.most = std::max(method.most, sum.most);
  }
  // Each thread goes on in what it is in until `border` at least.
  void advance(Time border) {
    for (clock.number = 0; clock.number < clock.threads.size(); ++clock.number)
      if (clock.now().node != slice::StackTree::kRoot) clock.pass(border);
  }

  // Told by the walk which thread is next.
  struct Clock {
    struct Thread {
      Time last = base::kNoTime;  // until when its time has been told
      std::uint64_t debt = 0;     // nanoseconds that sums below its call have told
      std::uint32_t node = slice::StackTree::kRoot;
    };
    void turn_to(std::uint32_t thread) {
      number = thread;
      base::slot(threads, thread);
    }
    void look(const event::Batch&, const event::Event&) {}
    void end_waits(Time) {}
    Thread& now() { return threads[number]; }
    // The thread was in its call until `time`.
    Thread& pass(Time time) {
      Thread& thread = now();
      if (time <= thread.last) return thread;
      if (thread.node != slice::StackTree::kRoot) tell(thread, time);
      else thread.debt = 0;
      thread.last = time;
      return thread;
    }
    // The thread was in its call until it ended: counts it. The window, null where it is in none.
    Window* end_call(Time end, const Frame& frame) {
      Thread& thread = now();
      Window* const window = windows->at(end);
      // As nearly always: what is told of it is of one place.
      const bool is_one = thread.node == frame.node && thread.debt == 0 && end > thread.last &&
                          windows->is_current(thread.last);
      Amount amount{1, 0};
      if (window != nullptr && is_one) {
        amount.weight = base::elapsed(thread.last, end);
        thread.last = end;
      } else {
        pass(end);
      }
      thread.node = frame.outer;
      if (window != nullptr) windows->at(end)->add(Carrier::calls, {frame.node}, amount);
      return window;
    }
    void tell(Thread& thread, Time time) {
      const std::uint64_t paid = std::min(thread.debt, base::elapsed(thread.last, time));
      thread.debt -= paid;
      windows->split(thread.last + static_cast<Time>(paid), time,
                     [&](Window& window, std::uint64_t part) {
                       window.add(Carrier::calls, {thread.node}, {0, part});
                     });
    }

    Windows* windows;
    std::vector<Thread> threads;  // by index
    std::uint32_t number = 0;
  };
  Clock clock;
  slice::StackTree tree;

 private:
  // Of equal ones that whose order does not depend on how they were read.
  void keep_longest(Window::Method& method, const Frame& frame, std::uint64_t duration) const {
    const std::tuple told(frame.start, clock.number, frame.node);
    if (duration == method.longest && told >= std::tie(method.start, method.thread, method.node))
      return;
    method.longest = duration;
    std::tie(method.start, method.thread, method.node) = told;
    method.block = clock.windows->block();
  }
};

}  // namespace polytrace::collector
