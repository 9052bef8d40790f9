// SPDX-License-Identifier: Apache-2.0
// A stretch of time and some threads, as questions tell them.
#pragma once

#include <optional>

#include "sql/model/table.hpp"
#include "sql/trace/trace.hpp"

namespace polytrace::sql {

// t0 and t1 may be null: the ends of the trace. threads: null, a number, or a JSON list of numbers.
// Columns of parameters; -1: there is none. Errors: query_wrong.
base::result<store::Range> stretch_of(const Scan& scan, int t0, int t1, int threads);
// A part of a whole; null: 0. Errors: query_wrong.
base::result<double> share_of(const Value& value);
// "[1, 2]"; nothing of any other text.
std::optional<std::vector<std::int64_t>> numbers_of(std::string_view text);
// The utids of a parameter; empty: all. Errors: query_wrong.
base::result<std::vector<std::uint32_t>> threads_of(const Value& value);

}  // namespace polytrace::sql
