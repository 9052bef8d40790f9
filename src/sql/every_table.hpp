// SPDX-License-Identifier: Apache-2.0
// All tables and functions of a trace.
#pragma once

#include <memory>
#include <vector>

#include "sql/model/table.hpp"
#include "sql/trace/trace.hpp"

namespace polytrace::sql {

using EveryTable = std::vector<std::unique_ptr<Table>>;
EveryTable every_table(const std::shared_ptr<const Trace>& trace);

}  // namespace polytrace::sql
