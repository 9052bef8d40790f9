// SPDX-License-Identifier: Apache-2.0
// One order over all threads: by time, keeping each thread's own order. A thread's order wins over
// its clock (helper threads tell old times late): an event counts as happening at the latest time
// its thread has told so far. Equal times stay in input order.
//
// A thread's first event may come last in the input, so everything is kept until the end, within
// Limits::merge_bytes. One thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/limits.hpp"
#include "base/seeded_hash.hpp"
#include "event/batch.hpp"

namespace polytrace::event {

class TimeMerge {
 public:
  explicit TimeMerge(const base::Limits& limits = {}) : limit_(limits.merge_bytes) {}

  // Copies the batch's events. False when the limit is reached: the batch was not taken whole and
  // nothing more will be; that is Code::limit_exceeded.
  bool add(const Batch& batch);
  // Calls `show` for each event in the merged order.
  void emit(const std::function<void(const Batch&, const Event&)>& show) const;

 private:
  // Neighbouring events of one thread in one kept batch.
  struct Run {
    u32 batch;
    u32 begin;
    u32 end;
  };
  // Where the batch's events are copied to.
  Batch& room_for(const Batch& batch);
  void extend(Id thread, u32 batch, u32 index);

  std::size_t limit_;
  std::size_t bytes_ = 0;
  std::vector<std::unique_ptr<Batch>> batches_;
  std::unordered_map<Id, std::vector<Run>, base::SeededHash> threads_;
};

}  // namespace polytrace::event
