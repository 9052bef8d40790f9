// SPDX-License-Identifier: Apache-2.0
// A table as a virtual table of SQLite: constraints become conditions, what is sure to hold is not
// tested again, rows that come in order are not sorted.
#pragma once

#include <string>

#include "sql/model/table.hpp"
#include "sql/sqlite/handle.hpp"

namespace polytrace::sql {

// "CREATE TABLE x(...)": as SQLite has its columns; a unit stands behind the type.
std::string declaration_of(const TableInfo& table);
// The table and `asked` must outlive the connection. Errors: SQLite's.
int add_table(sqlite3* database, const std::string& name, const Table& table, Asked& asked);

}  // namespace polytrace::sql
