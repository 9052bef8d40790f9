// SPDX-License-Identifier: Apache-2.0
// Times as people type them:
//   1.5s 200ms 40us 7ns 2min 1h   since the trace's first event
//   +200ms                        for --to: after --from; else as above
//   50%                           of the trace's span
//   2026-11-21T10:00:00.5Z        wall time (RFC 3339), where the trace tells its clock
//   3845198506587                 nanoseconds of the trace's own clock, as `cat` shows them
// Pure functions; thread-safe.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "service/input/overview.hpp"

namespace polytrace::service {

struct TimePoint {
  enum class Against : std::uint8_t { clock, start, from, share, wall };
  Against against = Against::clock;
  std::int64_t nanoseconds = 0;
  double share = 0;  // 0 to 1

  // Whether one must have seen the whole trace to know what is meant.
  bool needs_overview() const { return against != Against::clock; }
};

// Errors are usage.
base::result<TimePoint> parse_time_point(std::string_view text);
// `from` is what --from came out as, for a --to that counts from there.
base::result<base::Time> resolve(const TimePoint& point, const Overview& overview, base::Time from);

// "1.5s", "+200ms" or "-40us". Errors are usage.
base::result<base::Duration> parse_shift(std::string_view text);

}  // namespace polytrace::service
