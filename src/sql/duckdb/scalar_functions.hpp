// SPDX-License-Identifier: Apache-2.0
// The house's functions of one value as functions of DuckDB.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sql/duckdb/shared.hpp"
#include "sql/functions/scalars.hpp"

namespace polytrace::sql {

// A function and the trace that it is asked about; outlives the database.
struct DuckScalarOf {
  const Scalar& scalar;
  const Trace* trace;
  DuckShared& shared;
};
using DuckScalars = std::vector<std::unique_ptr<DuckScalarOf>>;

// Of a trace, or, where it is null, those that need none. Errors: limit_exceeded, with the name,
// where DuckDB has another of that name.
base::result<void> add_duck_scalars(DuckLink link, const std::string& prefix, const Trace* trace,
                                    DuckShared& shared, DuckScalars& kept);

}  // namespace polytrace::sql
