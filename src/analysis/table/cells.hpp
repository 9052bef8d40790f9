// SPDX-License-Identifier: Apache-2.0
// Makes tables and their cells.
#pragma once

#include <utility>
#include <vector>

#include "analysis/table/table.hpp"
#include "analysis/table/words.hpp"

namespace polytrace::analysis {

inline Table make_table(std::string key, std::string section, std::string title,
                        std::vector<ColumnInfo> columns) {
  Table table;
  table.key = std::move(key);
  table.section = std::move(section);
  table.title = std::move(title);
  table.columns = std::move(columns);
  return table;
}

// Not known when there was nothing.
inline Cell average(std::uint64_t sum, std::uint64_t count) {
  if (count == 0) return {};
  return static_cast<double>(sum) / static_cast<double>(count);
}
inline Cell percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return {};
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}
// An index of Names::methods(); kNone is not known.
inline Cell method_cell(const Names& names, std::uint32_t method) {
  return method == NameTable::kNone ? Cell{} : Cell{names.method_name(method)};
}
inline Cell time_cell(base::Time time) {
  if (time == base::kNoTime) return {};
  return time;
}

}  // namespace polytrace::analysis
