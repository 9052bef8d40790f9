// SPDX-License-Identifier: Apache-2.0
// Time of a thread that does not count: what it waited, what it was paused, or both, each moment
// once. One thread at a time.
#pragma once

#include <algorithm>
#include <span>

#include "slice/selection.hpp"
#include "store/file/status_clock.hpp"

namespace polytrace::store {

class TimeLeftOut {
 public:
  enum class Waits : std::uint8_t { count, left_out };

  // In a block with these changes, from `from` on. `pauses`: null where they count. All must
  // outlive it.
  TimeLeftOut(std::span<const StatusChange> changes, base::Time from, Waits waits,
              const slice::Pauses* pauses)
      : clock_(changes, from), now_(from), waits_(waits) {
    if (pauses == nullptr) return;
    pauses_ = pauses->all;
    pauses_ = pauses_.subspan(static_cast<std::size_t>(
        std::ranges::upper_bound(pauses_, from, {}, &slice::Pauses::Pause::end) - pauses_.begin()));
  }

  // Nanoseconds since the last one, or the beginning.
  std::uint64_t upto(base::Time to) {
    std::uint64_t sum = 0;
    while (!pauses_.empty() && pauses_.front().start < to) {
      const slice::Pauses::Pause& pause = pauses_.front();
      sum += waited(pause.start);
      const base::Time end = std::min(to, pause.end);
      sum += base::elapsed(now_, end);
      pass(end);
      if (pause.end > to) break;
      pauses_ = pauses_.subspan(1);
    }
    return sum + waited(to);
  }

 private:
  std::uint64_t waited(base::Time to) {
    if (to <= now_) return 0;
    const StatusClock::Split split = clock_.upto(to);
    now_ = to;
    return waits_ == Waits::left_out ? split.blocked + split.waiting : 0;
  }
  void pass(base::Time to) {
    clock_.pass(to);
    now_ = std::max(now_, to);
  }

  StatusClock clock_;
  base::Time now_;
  Waits waits_;
  std::span<const slice::Pauses::Pause> pauses_{};
};

}  // namespace polytrace::store
