// SPDX-License-Identifier: Apache-2.0
// A span of time as SQL hands it on: what span(t0, t1) makes is what `meets` is asked.
#pragma once

#include <cstring>
#include <optional>
#include <string>

#include "sql/model/table.hpp"

namespace polytrace::sql {

inline std::string bytes_of(const Meeting& meeting) {
  std::string bytes(sizeof meeting, '\0');
  std::memcpy(bytes.data(), &meeting, sizeof meeting);
  return bytes;
}

// Nothing where a scan does not ask for it; of anything but what span() made, what nothing meets.
inline std::optional<Meeting> meeting_of(const Scan& scan, int column) {
  const auto found = std::ranges::find(scan.conditions, column, &Condition::column);
  if (column < 0 || found == scan.conditions.end()) return {};
  Meeting meeting{.from = INT64_MAX, .to = INT64_MIN};
  const std::string_view bytes = found->value.text;
  if (found->value.type == Type::text && bytes.size() == sizeof meeting)
    std::memcpy(&meeting, bytes.data(), sizeof meeting);
  return meeting;
}

// The largest number, where there is none so large.
inline std::int64_t end_of(std::int64_t start, std::int64_t duration) {
  std::int64_t end = 0;
  return __builtin_add_overflow(start, duration, &end) ? INT64_MAX : end;
}

}  // namespace polytrace::sql
