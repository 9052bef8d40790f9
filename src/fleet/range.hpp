// SPDX-License-Identifier: Apache-2.0
// The stretch of time that a question is about, in whole seconds since 1970, UTC. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace polytrace::fleet {

struct Range {
  std::uint32_t from = 0;
  std::uint32_t to = 0;  // not part of it

  std::uint32_t seconds() const { return to - from; }
  std::uint32_t first_hour() const { return from / 3600; }
  std::uint32_t last_hour() const { return (to - 1) / 3600; }
  bool operator==(const Range&) const = default;
};

// As people type it; empty: not told. Times are RFC 3339, or seconds since 1970.
struct RangeWords {
  std::string last{};  // "1h", "30min", "7d": up to `to`, which is now where it is not told
  std::string from{};
  std::string to{};
};
// The last hour where nothing is told. Errors are usage.
base::result<Range> parse_range(const RangeWords& words, std::uint32_t now);
// "90s", "15min", "1h", "7d" in seconds, at least 1. Errors are usage.
base::result<std::uint32_t> parse_span(const std::string& text);

// "2026-11-26T10:00:00Z"
std::string time_text(std::uint32_t seconds);

}  // namespace polytrace::fleet
