// SPDX-License-Identifier: Apache-2.0
// Time without what nobody worked in: waits of the thread and, where the pauses are given,
// collections. Runs beside a walk over the calls; costs nothing where nothing is subtracted.
// One thread at a time.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "slice/selection.hpp"
#include "slice/slice.hpp"

namespace polytrace::slice {

// "without the time of collections and waits"; empty where everything counts.
std::string subtracted_text(const Selection& selection);

class WorkClock {
 public:
  explicit WorkClock(const Selection& selection)
      : from_(selection.from),
        to_(selection.to),
        subtracts_waits_(selection.subtract_waits),
        pauses_(selection.pauses) {}

  // Whether excluded() is ever anything but 0.
  bool subtracts() const { return subtracts_waits_ || pauses_ != nullptr; }
  bool subtracts_waits() const { return subtracts_waits_; }
  // The thread of what follows.
  void turn_to(std::uint32_t thread) {
    if (thread >= threads_.size()) threads_.resize(thread + std::size_t{1});
    now_ = thread;
  }
  // Any event of the thread that is not a call, in order.
  void look(const event::Batch& batch, const event::Event& event) {
    if (event.kind == event::Kind::Monitor || event.kind == event::Kind::Wait) take(batch, event);
  }
  // The thread has no more events after `last`: what it waits for has not come.
  void end_waits(base::Time last);
  // Nanoseconds of the thread's time up to `time`, inside the selected time, that do not count.
  // Modulo 2^64: only differences mean something.
  std::uint64_t excluded(base::Time time) const {
    return (subtracts_waits_ ? waits(time) : 0) + (pauses_ ? paused(time) : 0);
  }
  // Of it, what the thread waited, whether that counts or not.
  std::uint64_t waits(base::Time time) const {
    const Waiting& waiting = threads_[now_];
    return waiting.excluded + (waiting.since == base::kNoTime ? 0 : worked(waiting.since, time));
  }
  // Whose time it is.
  std::uint32_t thread() const { return now_; }
  // Of all threads, by waits that ended, inside the selected time.
  std::uint64_t waited() const { return waited_; }

 private:
  struct Waiting {
    base::Time lock = base::kNoTime;    // since when for a lock, kNoTime: not
    base::Time object = base::kNoTime;  // since when for a signal or a time
    base::Time since = base::kNoTime;   // since when for anything
    std::uint64_t excluded = 0;         // waits that ended
  };
  void take(const event::Batch& batch, const event::Event& event);
  static void begin(base::Time& start, base::Time time, Waiting& waiting);
  void end(base::Time& start, base::Time other, base::Time time, Waiting& waiting);
  // Between the two, inside the selected time and without pauses.
  std::uint64_t worked(base::Time from, base::Time to) const;
  std::uint64_t paused(base::Time time) const;
  base::Time inside(base::Time time) const { return std::clamp(time, from_, std::max(from_, to_)); }

  base::Time from_;
  base::Time to_;
  bool subtracts_waits_;
  std::shared_ptr<const Pauses> pauses_;
  std::vector<Waiting> threads_;  // by index
  std::uint32_t now_ = 0;
  std::uint64_t waited_ = 0;
  mutable std::size_t pause_ = 0;  // where the last look-up ended
};

}  // namespace polytrace::slice
