// SPDX-License-Identifier: Apache-2.0
// Makes tables, their cells and what notes and headlines share beside base/text/figure_text.hpp.
// Cells stay plain numbers.
#pragma once

#include <cstdint>
#include <string>
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
// In percent; 0 of nothing.
inline double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}
// The same; not known of nothing.
inline Cell percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? Cell{} : Cell{share(part, whole)};
}
// An index of Names::methods(); kNone is not known.
inline Cell method_cell(const Names& names, std::uint32_t method) {
  return method == NameTable::kNone ? Cell{} : Cell{names.method_name(method)};
}
inline Cell time_cell(base::Time time) {
  if (time == base::kNoTime) return {};
  return time;
}

// "34.1 %", "0 %" of nothing
std::string share_text(std::uint64_t part, std::uint64_t whole);

// What is said where runtime helpers are not shown.
std::string helpers_note(std::uint64_t calls, std::uint64_t self);

}  // namespace polytrace::analysis
