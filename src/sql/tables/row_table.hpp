// SPDX-License-Identifier: Apache-2.0
// A table of all events of a kind: which field each column is of, and what its numbers mean.
#pragma once

#include <string_view>
#include <vector>

#include "sql/tables/tables.hpp"
#include "store/ask/events/row_scan.hpp"

namespace polytrace::sql {

enum class Meaning : std::uint8_t {
  nothing,     // always NULL
  row,         // the row's own number
  time,        // ns; NULL where it is not told
  thread,      // index of a thread
  count,       // a number
  at_least_1,  // 0 counts as 1
  optional,    // a number; NULL where it is not told
  real,        // by its bits
  flag,        // 1 or 0
  text,        // number of a text; NULL where it is empty
  word,        // of an enumeration
  id,          // hexadecimal
  class_id,
  class_name,  // index of a class
  method_id,
  method_name,  // index of a method
  path,
  path_method,
  path_name,  // number of a path
  counter,
  counter_track,  // index of a counter
  counter_value,  // the real or the whole number of counter_value
};

struct RowColumn {
  Meaning meaning = Meaning::nothing;
  std::string_view field{};  // of kinds.def; "time", "thread", "subject", "path", "class": of rows
};

// `columns`: one for each of the table, in their order.
TablePointer row_table(const TracePointer& trace, const TableInfo& info, event::Kind kind,
                       std::vector<RowColumn> columns);

}  // namespace polytrace::sql
