// SPDX-License-Identifier: Apache-2.0
// Wall times as text (RFC 3339), such as 2026-11-21T10:00:00.5Z. Pure function; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace polytrace::base {

// Nanoseconds since the Unix epoch, of the years 1700 to 2200; nothing for any other text.
std::optional<std::int64_t> parse_wall_time(std::string_view text);

}  // namespace polytrace::base
