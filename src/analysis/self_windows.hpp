// SPDX-License-Identifier: Apache-2.0
// How steady a method's own time is: its self time in equal windows of the trace's time, 8 to 16 of
// them. What varies from window to window anyway is noise where two traces are compared.
#pragma once

#include <vector>

#include "analysis/call_totals.hpp"
#include "analysis/call_walk.hpp"

namespace polytrace::analysis {

class SelfWindows : public Analysis {
 public:
  static constexpr std::size_t kMost = 16;

  explicit SelfWindows(const Selection& selection) : policy_(selection), walk_(selection) {}

  void consume(const Slice& slice) override { walk_.consume(slice, policy_); }
  void finish(const Names&) override { walk_.finish(policy_); }
  std::vector<Table> tables(const Names&, const TableOptions&) const override { return {}; }

  // Nanoseconds by window of a method, an index of Names::methods(); a call counts where it ends.
  std::vector<double> of(std::uint32_t method) const;

 private:
  struct Policy {
    static constexpr bool kAsksRecursion = false;
    struct Frame {
      base::Id id;
      base::Time start;
      std::uint64_t callees;
      std::uint32_t method;
    };
    static Frame bottom(std::uint32_t) { return {base::kNoId, 0, 0, NameTable::kNone}; }
    void enter(const Frame&, Frame& frame, const event::Event& event, const Names& names) {
      frame.id = event.id;
      frame.start = event.time;
      frame.callees = 0;
      frame.method = names.methods().index(event.id);
    }
    void leave(Frame& caller, const Frame& frame, base::Time end, bool) {
      std::uint64_t duration = 0;
      if (!window.measure(frame.start, end, duration)) return;
      std::vector<std::uint64_t>& selfs = at(end);
      if (frame.method >= selfs.size()) [[unlikely]]
        selfs.resize(frame.method + selfs.size() / 2 + 256);
      selfs[frame.method] += not_negative(duration - frame.callees);
      caller.callees += duration;
    }
    // The window of a time.
    std::vector<std::uint64_t>& at(base::Time time) {
      const std::uint64_t place = static_cast<std::uint64_t>((time >> shift) - first);
      return place < windows.size() ? windows[place] : other(time);
    }
    std::vector<std::uint64_t>& other(base::Time time);
    void widen();

    explicit Policy(const Selection& selection) : window(selection), clock(selection) {}

    CallWindow window;
    WorkClock clock;
    std::vector<std::vector<std::uint64_t>> windows;  // each by method
    std::int64_t first = 0;                           // number of windows[0]
    int shift = 20;                                   // of a time to the number of its window
  };

  Policy policy_;
  CallWalk<Policy> walk_;
};

// Twice the standard error of a sum whose parts these are: what differs by less may be chance. Of
// fewer than two parts nothing is known: 0.
double noise_of(const std::vector<double>& parts);

}  // namespace polytrace::analysis
