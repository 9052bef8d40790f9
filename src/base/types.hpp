// SPDX-License-Identifier: Apache-2.0
// The vocabulary of units. Times are nanoseconds on the trace's own clock and may be negative;
// ids are 64-bit values exactly as the source has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace polytrace::base {

using Time = std::int64_t;      // nanoseconds on the trace's clock
using Duration = std::int64_t;  // nanoseconds
using Id = std::uint64_t;       // as the source has it, one space per kind of thing
using Bytes = std::span<const std::byte>;

// "Not told" is not zero: an id that the source did not give.
inline constexpr Id kNoId = ~Id{0};
// "Not told" for a time.
inline constexpr Time kNoTime = INT64_MIN;

// Nanoseconds, whatever the times; 0 when `to` is earlier.
constexpr std::uint64_t elapsed(Time from, Time to) {
  if (to <= from) return 0;
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

// The time so many nanoseconds before, no earlier than the first one.
constexpr Time time_before(Time time, std::uint64_t by) {
  constexpr Time kFirst = kNoTime + 1;
  return by > elapsed(kFirst, time) ? kFirst
                                    : static_cast<Time>(static_cast<std::uint64_t>(time) - by);
}

}  // namespace polytrace::base
