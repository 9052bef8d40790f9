// SPDX-License-Identifier: Apache-2.0
// Ticks to nanoseconds by one line (docs/formats/native.md, section 6). Pure; needs no library.
#pragma once

#include "base/types.hpp"
#include "format/native/wire/wire.hpp"

namespace polytrace::format::native {

__extension__ using Wide = __int128;

inline constexpr unsigned kRateShift = 32;

// The nearest time there is, where the line leads beyond.
constexpr base::Time time_at(const ClockLine& line, std::uint64_t tick) {
  const auto passed = static_cast<std::int64_t>(tick - line.tick0);
  const Wide time = Wide{line.time0} + (Wide{passed} * line.rate >> kRateShift);
  if (time > INT64_MAX) return INT64_MAX;
  return time <= base::kNoTime ? base::kNoTime + 1 : static_cast<base::Time>(time);
}

// The rate of a clock with so many ticks in so many nanoseconds. REQUIRES: ticks > 0.
constexpr std::uint64_t rate_of(std::uint64_t nanoseconds, std::uint64_t ticks) {
  const Wide rate = (Wide{nanoseconds} << kRateShift) / ticks;
  return rate > Wide{UINT64_MAX} ? UINT64_MAX : static_cast<std::uint64_t>(rate);
}

}  // namespace polytrace::format::native
