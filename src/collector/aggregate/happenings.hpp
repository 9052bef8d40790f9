// SPDX-License-Identifier: Apache-2.0
// Puts what is no call into windows: processor time, samples, allocations, waits for locks,
// exceptions, collections and their pauses, the heap, losses. One thread at a time.
#pragma once

#include <optional>
#include <vector>

#include "analysis/samples/allocation_stacks.hpp"
#include "analysis/samples/cpu_times.hpp"
#include "collector/aggregate/going_on.hpp"
#include "collector/aggregate/windows.hpp"
#include "slice/spans.hpp"
#include "slice/stack_changes.hpp"

namespace polytrace::collector {

// Calls and what happened in a run: not what only gives names.
struct Happened {
  std::uint64_t events = 0;
  Time first = INT64_MAX;
  Time last = INT64_MIN;

  static bool is_one(const event::Event& event) {
    const event::Role role = event::role_of(event.kind);
    return role == event::Role::call || role == event::Role::moment;
  }
  static Happened in(const slice::Run& run, const event::Batch& batch) {
    Happened all;
    for (std::uint32_t i = run.begin; i < run.end; ++i) {
      const event::Event& event = batch.events[i];
      if (!is_one(event)) continue;
      ++all.events;
      all.first = std::min(all.first, event.time);
      all.last = std::max(all.last, event.time);
    }
    return all;
  }
};

class Happenings {
 public:
  Happenings(Windows& windows, std::uint32_t most_nodes)
      : windows_(windows),
        cpu_(most_nodes),
        allocations_(most_nodes),
        samples_(most_nodes),
        locks_(most_nodes),
        throws_(most_nodes) {}

  void consume(const slice::Slice& slice);
  // To go on in another process: what threads are in, but for their calls.
  void add_to(GoingOn& going_on, const slice::Names& names) const;
  // Calls tell processor time, whether or not those before told any.
  void expect_cpu(bool told) { tells_cpu_ = told; }
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

  // Made when it is needed: streams are many.
  class LateTree {
   public:
    explicit LateTree(std::uint32_t most_nodes) : most_nodes_(most_nodes) {}
    slice::StackTree& made() { return tree_ ? *tree_ : tree_.emplace(most_nodes_); }
    const slice::StackTree& get() const {
      static const slice::StackTree kEmpty;
      return tree_ ? *tree_ : kEmpty;
    }

   private:
    std::uint32_t most_nodes_;
    std::optional<slice::StackTree> tree_;
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
  LateTree samples_;
  LateTree locks_;
  LateTree throws_;
  slice::RecordingPause recording_;
  std::vector<Waiting> waiting_;  // by thread index
  std::vector<Pausing> pausing_;  // likewise
  bool tells_cpu_ = false;        // calls do
  bool tells_stops_ = false;      // then collections themselves are no pauses
};

}  // namespace polytrace::collector
