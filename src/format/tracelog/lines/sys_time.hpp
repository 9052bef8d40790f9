// SPDX-License-Identifier: Apache-2.0
// The wall clock as a log spells it: "2018-04-10 21:25:53.417", maybe with " +09:00".
// docs/formats/tracelog.md, section 3.2.
#pragma once

#include <string>
#include <string_view>

#include "base/types.hpp"

namespace polytrace::format::tracelog {

inline constexpr base::Duration kMicrosecond = 1000;
inline constexpr base::Duration kMillisecond = 1000 * kMicrosecond;
inline constexpr base::Duration kMinute = 60'000 * kMillisecond;

struct SysTime {
  base::Time wall = 0;      // nanoseconds since 1970, UTC where the offset is told
  base::Duration offset{};  // of local time, in nanoseconds
  bool has_offset = false;
  bool clamped = false;  // a year that nanoseconds cannot name
};

// False when `text` is none.
bool parse_sys_time(std::string_view text, SysTime& time);
// Milliseconds and minutes: what is finer is cut. The offset is told when `with_offset`.
void append_sys_time(std::string& to, base::Time wall, base::Duration offset, bool with_offset);

}  // namespace polytrace::format::tracelog
