// SPDX-License-Identifier: Apache-2.0
// Puts what is no call into windows: processor time, samples, allocations, waits for locks,
// exceptions, collections and their pauses, the heap, losses. One thread at a time.
#pragma once

#include <vector>

#include "analysis/samples/allocation_stacks.hpp"
#include "analysis/samples/cpu_times.hpp"
#include "collector/aggregate/going_on.hpp"
#include "collector/aggregate/windows.hpp"
#include "slice/spans.hpp"
#include "slice/stack_changes.hpp"

namespace polytrace::collector {

class Happenings {
 public:
  explicit Happenings(Windows& windows) : windows_(windows) {}

  void consume(const slice::Slice& slice);
  // To go on in another process: what threads are in, but for their calls.
  void add_to(GoingOn& going_on, const slice::Names& names) const;
  // `threads`: their indexes, in the order of going_on.threads.
  void go_on(const GoingOn& going_on, std::span<const std::uint32_t> threads,
             const slice::Names& names);
  // The stacks of a carrier. REQUIRES: it is not calls.
  const slice::StackTree& tree(Carrier carrier) const;

 private:
  struct Waiting {
    Time start = base::kNoTime;  // kNoTime: for nothing
    Spot spot{};
  };
  struct Pausing {
    slice::LoneSpan stop;
    slice::LoneSpan collection;  // the outermost
    std::uint32_t depth = 0;
  };

  void count_events(const slice::Slice& slice);
  void take(const slice::Slice& slice, std::uint32_t index);
  void sample(const slice::Slice& slice, const event::Event& event);
  void lock(const slice::Slice& slice, std::uint32_t index);
  void thrown(const slice::Slice& slice, std::uint32_t index);
  void collect(const event::Gc& gc, const event::Event& event, std::uint32_t thread, base::Id id);
  void pause(Time from, Time to, base::Id thread);
  void cpu(const event::Cpu& cpu, Time time);
  void heap(const event::HeapSize& size, Time time);
  void lost(const event::Lost& lost, const event::Event& event, base::Id thread);
  static Spot spot(std::uint32_t node, base::Id type, const slice::Names& names);

  Windows& windows_;
  analysis::CpuStacks cpu_;
  analysis::AllocationStacks allocations_;
  slice::StackTree samples_;
  slice::StackTree locks_;
  slice::StackTree throws_;
  slice::RecordingPause recording_;
  std::vector<Waiting> waiting_;  // by thread index
  std::vector<Pausing> pausing_;  // likewise
  bool tells_cpu_ = false;        // calls do
  bool tells_stops_ = false;      // then collections themselves are no pauses
};

}  // namespace polytrace::collector
