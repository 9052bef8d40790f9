// SPDX-License-Identifier: Apache-2.0
// LIKE, GLOB, instr, trim and replace in time that grows with the texts' lengths, or that ends when
// the question is to: SQLite's own may run for hours without a look at the clock.
#pragma once

#include <string_view>

#include "sql/sqlite/handle.hpp"

namespace polytrace::sql {

// Whether the part is in the text.
bool find(std::string_view text, std::string_view part);
// In the place of SQLite's. Errors: SQLite's.
int add_patterns(sqlite3* database, Asked& asked);

}  // namespace polytrace::sql
