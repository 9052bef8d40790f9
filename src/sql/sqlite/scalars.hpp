// SPDX-License-Identifier: Apache-2.0
// Functions that give one value: of a trace, of times and sizes, and those of SQLite's own that
// could run for long without a look at the clock.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sql/sqlite/handle.hpp"
#include "sql/trace/trace.hpp"

namespace polytrace::sql {

struct FunctionInfo {
  std::string name;
  std::string_view parameters;
  std::string_view meaning;
};

// Those that need no trace. Names are added to `names`. Errors: SQLite's.
int add_scalars(sqlite3* database, Asked& asked, std::vector<FunctionInfo>& added);
// Those of a trace, with a prefix before their names. The trace must outlive the connection.
int add_trace_scalars(sqlite3* database, const Trace& trace, const std::string& prefix,
                      std::vector<FunctionInfo>& added);
// Aggregates.
int add_aggregates(sqlite3* database, std::vector<FunctionInfo>& added);

}  // namespace polytrace::sql
