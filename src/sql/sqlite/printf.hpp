// SPDX-License-Identifier: Apache-2.0
// printf and format as SQLite has them, but for texts that would be too long: SQLite's own makes
// those character by character, for a minute, without a look at the clock.
#pragma once

#include "sql/sqlite/handle.hpp"

namespace polytrace::sql {

// In the place of SQLite's. Errors: SQLite's.
int add_printf(sqlite3* database, Asked& asked);

}  // namespace polytrace::sql
