// SPDX-License-Identifier: Apache-2.0
// When the tables of mode summary are due: at multiples of an interval by the clock on the wall, so
// that those of many programs are of the same times. The writer thread's.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace polytrace::agent {

class SummaryPace {
 public:
  // Nanoseconds since 1970; an interval of 0: never.
  void start(std::uint64_t interval, base::Time wall) {
    interval_ = static_cast<base::Duration>(interval);
    if (interval_ != 0) plan(wall);
  }
  // Until they are due, at most one interval.
  base::Duration left(base::Time wall) const {
    if (interval_ == 0) return INT64_MAX;
    return wall >= next_ ? 0 : next_ - wall < interval_ ? next_ - wall : interval_;
  }
  // They are due now, once. A clock that was set back is followed.
  bool take(base::Time wall) {
    if (interval_ == 0 || left(wall) != 0) {
      if (interval_ != 0 && next_ - wall > interval_) plan(wall);
      return false;
    }
    plan(wall);
    return true;
  }

 private:
  void plan(base::Time wall) { next_ = (wall / interval_ + 1) * interval_; }

  base::Duration interval_ = 0;
  base::Time next_ = 0;
};

}  // namespace polytrace::agent
