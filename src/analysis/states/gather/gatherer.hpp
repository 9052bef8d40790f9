// SPDX-License-Identifier: Apache-2.0
// The first pass: notes what matters to a state, in input order. One thread at a time.
#pragma once

#include <tsl/robin_map.h>

#include <vector>

#include "analysis/states/gather/gathered.hpp"
#include "analysis/states/gather/happening.hpp"

namespace polytrace::analysis {

class Gatherer {
 public:
  explicit Gatherer(Gathered& gathered) : to_(gathered) {}

  void consume(const event::Batch& batch);

 private:
  using Event = event::Event;
  using Handler = void (Gatherer::*)(const Event&);
  struct Handlers;

  void consume(const Slice& slice);
  void walk(const Run& run);
  void see_thread(const Event& first);
  void call(const Event& event);

  void thread(const Event& event);
  void sample(const Event& event);
  void wait(const Event& event);
  void monitor(const Event& event);
  void thrown(const Event& event);
  void alloc(const Event& event);
  void alloc_summary(const Event& event);
  void free(const Event& event);
  void move(const Event& event);
  void census(const Event& event);
  void dump(const Event& event);
  void dump_object(const Event& event);
  void gc(const Event& event);
  void sync(const Event& event);
  void heap_size(const Event& event);
  void jit(const Event& event);
  void method(const Event& event);
  void type(const Event& event);
  void class_load(const Event& event);
  void counter_def(const Event& event);
  void counter(const Event& event);
  void cpu(const Event& event);
  void lost(const Event& event);
  void recording(const Event& event);
  void clock(const Event& event);

  // Adds one at the stream's time; the thread is the stream's unless told.
  void add(What what, Happening rest = {}) { add_at(now_, what, rest); }
  void add_at(base::Time time, What what, Happening rest);
  // The thread used so much CPU time since the last figure of it.
  void used_cpu(std::uint64_t used);
  void end_dump();
  template <class T>
  T details(const Event& event) const {
    return slice_->batch.details_or<T>(event, {});
  }
  const Names& names() const { return slice_->names; }
  std::uint32_t class_index(base::Id id) const {
    return id == base::kNoId ? kNothing : names().class_index(id);
  }
  std::uint32_t thread_index(base::Id id);  // the stream's for one that is not told
  std::uint32_t text_index(event::Text text) {
    return text.empty() ? kNothing : to_.texts.index(text);
  }

  struct Counted {
    std::uint64_t objects = 0;
    std::uint64_t bytes = 0;
  };

  Gathered& to_;
  std::vector<base::Time> latest_;  // by thread: the latest time it told
  std::vector<bool> known_;         // by thread: it has been seen
  std::vector<base::Time> cpu_at_;  // by thread: when its CPU time was told last
  std::vector<std::uint64_t> cpu_;  // by thread: all of it, as calls told
  std::uint32_t censuses_ = 0;      // numbers given to censuses and dumps
  base::Time census_time_ = base::kNoTime;
  base::Id census_of_ = base::kNoId;
  // Of the dump that is open, by class, in the order in which they came: that of a table of numbers
  // would be another one where an index has numbered them.
  std::vector<std::pair<std::uint32_t, Counted>> dumped_;
  tsl::robin_map<std::uint32_t, std::size_t> dumped_at_;
  bool in_dump_ = false;
  base::IdTable counter_ids_;
  bool any_recording_ = false;
  // Of the run being walked.
  const Slice* slice_ = nullptr;
  std::uint32_t thread_ = kNothing;
  base::Time now_ = 0;
};

}  // namespace polytrace::analysis
