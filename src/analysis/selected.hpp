// SPDX-License-Identifier: Apache-2.0
// Small questions every analysis asks of a selection and of its own tables of figures.
#pragma once

#include <utility>
#include <vector>

#include "analysis/analysis.hpp"

namespace polytrace::analysis {

// Events of the selected time and of a selected thread's stream.
inline bool selects(const Selection& selection, const event::Batch& batch,
                    const event::Event& event) {
  return selection.has(event.time) && selection.threads.has(batch.thread(event));
}

// Rows by their name.
inline bool keeps(const Selection& selection, std::string_view name) {
  return selection.name.has(name);
}

inline Table make_table(std::string key, std::string section, std::string title,
                        std::vector<ColumnInfo> columns) {
  Table table;
  table.key = std::move(key);
  table.section = std::move(section);
  table.title = std::move(title);
  table.columns = std::move(columns);
  return table;
}

// items[index], the vector made long enough first. For dense indexes.
template <class T>
T& slot(std::vector<T>& items, std::size_t index) {
  if (index >= items.size()) items.resize(index + 1);
  return items[index];
}
template <class T>
T& slot(std::vector<T>& items, std::size_t index, const T& fresh) {
  if (index >= items.size()) items.resize(index + 1, fresh);
  return items[index];
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
