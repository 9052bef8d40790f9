// SPDX-License-Identifier: Apache-2.0
// Values into statements, and what statements say of their columns.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sql/model/question.hpp"
#include "sql/sqlite/handle.hpp"

namespace polytrace::sql {

std::vector<AnswerColumn> columns_of(sqlite3_stmt* statement);
// The cells of the row that it stands at; texts live until it moves.
void read_row(sqlite3_stmt* statement, std::span<Value> cells);
// A text is copied. The result is SQLite's.
int bind_value(sqlite3_stmt* statement, int place, const Value& value);
// All parameters by their names. Errors: query_wrong for one that has no value.
base::result<void> bind_all(sqlite3_stmt* statement, std::span<const Parameter> parameters);

}  // namespace polytrace::sql
