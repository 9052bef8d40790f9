// SPDX-License-Identifier: Apache-2.0
// The methods: calls, total, self, elapsed, average, shortest and longest.
//   total    every call counts with its whole duration; in a recursion each level counts anew
//   elapsed  only calls outside any other call of the same method in their thread
//   self     duration without the calls it made
//   busy     of it, what the thread used of a processor; waiting: of it, what the thread waited.
//            Where the trace tells CPU time of threads (BusyTimes); the rest of self is unknown
// Methods of one name have one row. Runtime helpers that are not shown have none; their time is
// self time of their callers.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "analysis/calls/call_totals.hpp"
#include "analysis/calls/call_walk.hpp"
#include "base/duration_sketch.hpp"
#include "slice/busy_times.hpp"

namespace polytrace::analysis {

class CallTree;

class Calls : public Analysis {
 public:
  // With a tree (which must be fed and finished first), everything is taken from it; without, a
  // leaner walk of its own does it.
  explicit Calls(const Selection& selection, std::shared_ptr<const CallTree> tree = nullptr);

  void consume(const Slice& slice) override;
  void finish(const Names& names) override;
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  Figures figures(const Names& names) const override;  // self time of methods
  std::vector<std::string> headlines(const Names& names) const override;

  const std::vector<CallTotals>& totals() const { return totals_; }  // by method; after finish()
  const event::CallAccount& repairs() const;

 private:
  // All methods of one name.
  struct Named {
    std::string name;
    CallTotals totals;
    std::vector<std::uint32_t> methods;
  };
  std::vector<Named> by_name(const Names& names) const;

  // What CallWalk asks for.
  struct Policy {
    static constexpr bool kAsksRecursion = true;
    static constexpr bool kTakesSums = true;
    // What CallTotals are made of in the end, with the least to do per call.
    struct alignas(64) Sums {
      std::uint64_t calls = 0;
      std::uint64_t total = 0;
      std::uint64_t nested = 0;   // of it, in calls inside another call of the same method
      std::uint64_t callees = 0;  // of it, in callees
      std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
      std::uint64_t most = 0;
      bool helper = false;  // that is not shown
      CallTotals totals(const BusyTimes::Times& times) const {
        return {calls,      total,         total - nested, not_negative(total - callees),
                times.busy, times.waiting, least,          most};
      }
    };
    struct Frame : WalkedCall {
      base::Time start;
      std::uint64_t callees;   // nanoseconds in them
      std::uint64_t excluded;  // at the start, see WorkClock
      std::uint32_t owner;     // itself; of a helper that is not shown, its caller's
    };
    void make_room(std::uint32_t method) {
      sums.resize(method + sums.size() / 2 + 256);
      sketches.resize(sums.size());
    }
    static Frame bottom(std::uint32_t) {
      return {{{base::kNoId, 0}, NameTable::kNone, 0}, 0, 0, 0, BusyTimes::kNobody};
    }
    // Inline although sums enter, too: those are rare.
    [[gnu::always_inline]] inline void enter(const Frame& caller, Frame& frame,
                                             const event::Event& event, base::Time start,
                                             const Names& names) {
      const std::uint32_t method = names.methods().index(event.id);
      if (method >= sums.size()) [[unlikely]]
        make_room(method);
      if (sums[method].calls == 0) [[unlikely]]
        sums[method].helper = hides_helpers && names.is_helper(method);
      frame.start = start;
      frame.callees = 0;
      frame.method = method;
      if (watched) [[unlikely]]
        watch(caller, frame);
    }
    void leave(Frame& caller, const Frame& frame, base::Time end, bool recursive) {
      if (watched) [[unlikely]]
        take(frame, end);
      std::uint64_t duration = 0;
      if (!window.measure(frame.start, end, duration)) return;
      if (watched) [[unlikely]]
        duration -= std::min(duration, clock.excluded(end) - frame.excluded);
      sketches[frame.method].add(duration);
      add(caller, frame, {base::kNoId, 0, 0, 1, duration, duration, duration}, recursive);
    }
    void sum(Frame& caller, const Frame& frame, const CallSum& sum, bool recursive) {
      if (window.has(sum.time)) add(caller, frame, sum, recursive);
    }
    [[gnu::always_inline]] inline void add(Frame& caller, const Frame& frame, const CallSum& sum,
                                           bool recursive) {
      Sums& method = sums[frame.method];
      method.calls += sum.calls;
      method.total += sum.total;
      method.callees += frame.callees;
      method.least = std::min(method.least, sum.least);
      method.most = std::max(method.most, sum.most);
      if (recursive) method.nested += sum.total;
      if (method.helper) [[unlikely]]
        leave_helper(caller, frame, sum);
      else caller.callees += sum.total;
    }
    // Only what it called is not its caller's self time. A helper that a helper called is in the
    // time of that.
    void leave_helper(Frame& caller, const Frame& frame, const CallSum& sum) {
      caller.callees += frame.callees;
      helpers.calls += sum.calls;
      const bool outermost = caller.method == NameTable::kNone;
      if (!outermost && sums[caller.method].helper) return;
      helpers.self += sum.total - frame.callees;
      if (outermost) helpers.unowned += sum.total - frame.callees;
    }
    void watch(const Frame& caller, Frame& frame) {
      take(caller, frame.start);
      frame.owner = sums[frame.method].helper ? caller.owner : frame.method;
      frame.excluded = clock.excluded(frame.start);
    }
    // The frame was innermost until then.
    void take(const Frame& frame, base::Time until) {
      if (!busy.wanted()) return;
      busy.take(clock.thread(), frame.owner, until, clock.waits(until));
    }
    explicit Policy(const Selection& selection)
        : window(selection),
          clock(selection),
          busy(selection),
          hides_helpers(!selection.show_helpers) {}

    CallWindow window;
    WorkClock clock;
    BusyTimes busy;       // by method
    bool watched = true;  // whether there is anything to do for a call that few traces need
    bool hides_helpers;
    HelperTotals helpers;
    std::vector<Sums> sums;                      // by method
    std::vector<base::DurationSketch> sketches;  // likewise, as long
  };

  const HelperTotals& helpers() const;
  // Whether it is known of any call whether its thread was busy.
  bool knows_busy() const;
  std::uint64_t sum_of_self() const;
  std::uint64_t sum_of_busy() const;
  std::string unknown_note() const;
  base::DurationSketch sketch_of(const Named& named) const;
  static Cell quantile(const Named& named, const base::DurationSketch& sketch, unsigned percent);

  Selection selection_;
  std::shared_ptr<const CallTree> tree_;
  Policy policy_;
  CallWalk<Policy> walk_;
  std::vector<CallTotals> totals_;
};

}  // namespace polytrace::analysis
