// SPDX-License-Identifier: Apache-2.0
// How much room text takes on a terminal. Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text/terminal_text.hpp"

namespace polytrace::cli {

using base::printable;

// Terminal cells that printable text takes: 2 for wide characters, 0 for combining ones.
std::size_t cells(std::string_view printable);

// The bytes of its longest beginning of at most `limit` cells.
std::size_t bytes_within(std::string_view printable, std::size_t limit);

// At most `limit` cells of it, the cut marked by `mark` (one cell).
std::string clipped(std::string_view printable, std::size_t limit, std::string_view mark);

}  // namespace polytrace::cli
