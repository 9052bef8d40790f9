// SPDX-License-Identifier: Apache-2.0
// How much room text takes on a terminal, and text for less room than it takes. Printable text in,
// printable text out. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/terminal_text.hpp"
#include "cli/show/terminal.hpp"

namespace polytrace::cli {

using base::printable;

// Terminal cells that printable text takes: 2 for wide characters, 0 for combining ones.
std::size_t cells(std::string_view printable);

// The bytes of its longest beginning of at most `limit` cells.
std::size_t bytes_within(std::string_view printable, std::size_t limit);

// At most `limit` cells of it, the cut marked by `mark` (one cell).
std::string clipped(std::string_view printable, std::size_t limit, std::string_view mark);

// A name in at most `limit` terminal cells: first the arguments of a method go, then what stands
// before its last part, so that the method stays. Its indentation is kept. `mark` is one cell.
//   Ns.Set`1<int>:Add (int,bool)   becomes   Ns.Set`1<int>:Add (...)   becomes   ...int>:Add (...)
std::string shortened(std::string_view name, std::size_t limit, std::string_view mark);

// A sentence as lines of at most `width` terminal cells, broken at blanks; a word that is longer is
// broken anywhere. At least one line.
std::vector<std::string> wrapped(std::string_view sentence, std::size_t width);

// The same as lines that are indented by two, as wide as the terminal, if there is one.
void append_paragraph(std::string& out, std::string_view sentence, const Terminal& terminal);

}  // namespace polytrace::cli
