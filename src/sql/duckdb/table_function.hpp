// SPDX-License-Identifier: Apache-2.0
// A table as a function of DuckDB that gives rows. Its own planner tells such functions no filters:
// what a table can look for are named parameters.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sql/duckdb/shared.hpp"
#include "sql/model/table.hpp"

namespace polytrace::sql {

// A table and whom it tells; outlives the database.
struct DuckTable {
  const Table& table;
  DuckShared& shared;
};

// Errors: limit_exceeded, with the name, where DuckDB has another of that name.
base::result<void> add_duck_table(DuckLink link, const std::string& name, DuckTable& table);

}  // namespace polytrace::sql
