// SPDX-License-Identifier: Apache-2.0
// GLOB and LIKE as SQLite has them: of GLOB *, ? and [sets], of LIKE % and _ and letters of either
// case (ASCII). A text may hold any bytes; what is no UTF-8 counts byte by byte. Pure.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace polytrace::sql {

struct Pattern {
  std::string_view text;
  enum class Kind : std::uint8_t { glob, like } kind = Kind::glob;
  std::uint32_t escape = 0;  // of LIKE; 0: none
};

// In time text x pattern at most. `stop` is looked at now and then: once true, the answer means
// nothing.
bool matches(const Pattern& pattern, std::string_view text, const std::atomic<bool>& stop);

}  // namespace polytrace::sql
