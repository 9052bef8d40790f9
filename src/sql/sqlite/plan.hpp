// SPDX-License-Identifier: Apache-2.0
// How a table is to be read, as SQLite keeps it between asking for a plan and using it.
#pragma once

#include <deque>
#include <string>

#include "sql/model/table.hpp"
#include "sql/sqlite/handle.hpp"

namespace polytrace::sql {

// Chooses what the table is told. SQLITE_CONSTRAINT: a function without its parameters.
int make_plan(const Table& table, sqlite3_index_info* info);
// What make_plan() wrote, with the values that it asked for; `texts` keeps those.
Scan scan_of(const TableInfo& table, const char* plan, int count, sqlite3_value** values,
             std::deque<std::string>& texts);

}  // namespace polytrace::sql
