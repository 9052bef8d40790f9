// SPDX-License-Identifier: Apache-2.0
// CPU time that calls tell, by stack: what a thread used between two calls is that of the method it
// was in. A thread's first figure tells where its clock stands, no more. Where none of the first
// many calls tells any, calls are followed from the first batch on that does. One thread at a time.
#pragma once

#include <vector>

#include "analysis/table/cells.hpp"
#include "analysis/table/words.hpp"
#include "base/slot.hpp"
#include "base/types.hpp"
#include "slice/call_site.hpp"

namespace polytrace::analysis {

class CpuStacks {
 public:
  explicit CpuStacks(std::uint32_t most_nodes = StackTree::kMaxNodes) : tree_(most_nodes) {}

  // Calls function(time, thread, stack, calls, nanoseconds) where a selected event tells of CPU
  // time or enters a method: an index of Names::threads(), a node of tree(), one of both figures 0.
  template <class Function>
  void consume(const Slice& slice, const Selection& selection, const Function& function) {
    if (!tells_) tells_ = tells_cpu(slice.batch);
    if (!tells_ && patience_ == 0) return;
    for (const Run& run : slice.runs)
      for (std::uint32_t i = run.begin; i < run.end; ++i)
        if (event::is_call(slice.batch.events[i].kind))
          take(slice, slice.batch.events[i], run.thread, selection, function);
  }
  const StackTree& tree() const { return tree_; }
  // Whether any call told it.
  bool tells() const { return tells_; }

  static bool tells_cpu(const event::Batch& batch);

 private:
  struct Thread {
    LiveStack calls;
    base::Duration used = 0;  // 0: not told yet
  };

  static base::Duration told(const event::Batch& batch, const event::Event& event);

  template <class Function>
  void take(const Slice& slice, const event::Event& event, std::uint32_t number,
            const Selection& selection, const Function& function) {
    if (!tells_ && patience_ > 0) --patience_;
    const bool enters = event.kind == event::Kind::Enter;
    Thread& thread = base::slot(threads_, number);
    const bool counts = selects(selection, slice.batch, event);
    const base::Duration now = told(slice.batch, event);
    if (now > thread.used) {
      const std::uint64_t used = thread.used == 0 ? 0 : base::elapsed(thread.used, now);
      thread.used = now;
      if (counts && used != 0)
        function(event.time, number, thread.calls.node(tree_, slice.names), 0, used);
    }
    thread.calls.follow(slice.batch, {&event, 1}, account_);
    if (enters && counts) function(event.time, number, thread.calls.node(tree_, slice.names), 1, 0);
  }

  StackTree tree_;
  event::CallAccount account_;
  std::vector<Thread> threads_;  // by index
  bool tells_ = false;
  std::uint32_t patience_ = 100'000;  // calls
};

}  // namespace polytrace::analysis
