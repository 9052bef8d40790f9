// SPDX-License-Identifier: Apache-2.0
// The tables and functions of a trace under the names that an engine gives them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sql/model/table.hpp"
#include "sql/trace/trace.hpp"

namespace polytrace::sql {

using EveryTable = std::vector<std::unique_ptr<Table>>;

struct TraceTables {
  std::shared_ptr<const Trace> trace;
  std::string prefix;  // before all names: "t2_", or nothing
  EveryTable tables;
};

}  // namespace polytrace::sql
