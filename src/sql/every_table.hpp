// SPDX-License-Identifier: Apache-2.0
// All tables and functions of a trace.
#pragma once

#include <memory>
#include <vector>

#include "sql/trace/trace_tables.hpp"

namespace polytrace::sql {

EveryTable every_table(const std::shared_ptr<const Trace>& trace);
// Of several traces: those of the n-th are t<n>_slice and so on, those of the first also without
// that.
std::vector<TraceTables> tables_of(const std::vector<std::shared_ptr<const Trace>>& traces);

}  // namespace polytrace::sql
