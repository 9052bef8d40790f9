// SPDX-License-Identifier: Apache-2.0
// Text from a trace may hold anything. These make it safe to show. Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace polytrace::cli::show {

// For terminals: control characters and bytes that are not UTF-8 become \x1b, characters that
// change the direction of writing \u{202e}. Everything else stays.
std::string printable(std::string_view text);

// Terminal cells that printable text takes: 2 for wide characters, 0 for combining ones.
std::size_t cells(std::string_view printable);

// At most `limit` cells of it, the cut marked by `mark` (one cell).
std::string clipped(std::string_view printable, std::size_t limit, std::string_view mark);

}  // namespace polytrace::cli::show
