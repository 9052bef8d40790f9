// SPDX-License-Identifier: Apache-2.0
// Text from a trace may hold anything. These make it safe to show. Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace polytrace::cli::show {

// The first character of `text`; bytes = 0 when no well-formed UTF-8 starts there.
struct Character {
  char32_t code = 0;
  unsigned bytes = 0;
};
Character first_character(std::string_view text);

// For terminals: control characters and bytes that are not UTF-8 become \x1b, characters that
// change the direction of writing \u{202e}. Everything else stays.
std::string printable(std::string_view text);

// For formats that are UTF-8 by definition: other bytes become U+FFFD.
std::string repaired(std::string_view text);

// Terminal cells that printable text takes: 2 for wide characters, 0 for combining ones.
std::size_t cells(std::string_view printable);

// At most `limit` cells of it, the cut marked by `mark` (one cell).
std::string clipped(std::string_view printable, std::size_t limit, std::string_view mark);

}  // namespace polytrace::cli::show
