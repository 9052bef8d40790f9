// SPDX-License-Identifier: Apache-2.0
// Ticks to nanoseconds by the lines of a stream: keeps the line in use and how far it reaches. One
// thread at a time.
#pragma once

#include "format/native/read/context.hpp"
#include "format/native/wire/clock_line.hpp"

namespace polytrace::format::native {

// Ticks from tick0 on, so many that none of their times is beyond what 64 bits hold. None is before
// that of a lower tick.
struct TickRange {
  std::uint64_t tick0 = 0;
  std::uint64_t time0 = 0;
  std::uint64_t rate = 0;
  std::uint64_t ticks = 0;

  bool holds(std::uint64_t tick) const { return tick - tick0 < ticks; }
  // REQUIRES: holds(tick).
  base::Time time(std::uint64_t tick) const { return time_after(tick - tick0); }
  // So many ticks behind the first one. REQUIRES: passed < ticks.
  base::Time time_after(std::uint64_t passed) const {
    __extension__ using Product = unsigned __int128;
    return static_cast<base::Time>(
        time0 + static_cast<std::uint64_t>(Product{passed} * rate >> kRateShift));
  }
};

class Clock {
 public:
  explicit Clock(const Context& context) : context_(context) {}

  base::Time time(std::uint64_t tick) {
    if (range_.holds(tick)) return range_.time(tick);
    return time_elsewhere(tick);
  }
  // What holds the tick of the last call of time(); or none, and time() is needed for each tick.
  const TickRange& range() const { return range_; }

 private:
  base::Time time_elsewhere(std::uint64_t tick);

  const Context& context_;
  TickRange range_;
};

}  // namespace polytrace::format::native
