// SPDX-License-Identifier: Apache-2.0
// Orders and cuts the rows of a table as the user asked.
#pragma once

#include <string_view>

#include "analysis/table/table.hpp"

namespace polytrace::analysis {

// Sorts by the column options.sort, or by `default_key` when that is empty or no column's key:
// numbers descending, text ascending, unknown cells last; of equal ones the first text that differs
// decides, so that nothing depends on the order in which a trace was met. An empty `default_key`
// keeps the given order. Then cuts the table to options.limit rows and adds what it cut to
// rows_left_out. For flat tables: a tree keeps its order and must be cut by its maker.
void sort_and_limit(Table& table, const TableOptions& options, std::string_view default_key);

// Only the cut.
void limit_rows(Table& table, const TableOptions& options);

}  // namespace polytrace::analysis
