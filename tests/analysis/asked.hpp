// SPDX-License-Identifier: Apache-2.0
// Asks one analysis about hand-made batches.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/analysis.hpp"
#include "slice/slicer.hpp"

namespace polytrace::test {

using analysis::Cell;
using analysis::Table;

inline constexpr base::Id kMain = 1, kOther = 2;  // threads

// The analysis with the names of the batches it was fed.
struct Asked {
  std::shared_ptr<analysis::Analysis> analysis;
  slice::Slicer slicer;

  explicit Asked(std::shared_ptr<analysis::Analysis> asked) : analysis(std::move(asked)) {
    slicer.follow_calls();
  }
  Asked& feed(const event::Batch& batch) {
    slicer.slice(batch, [&](const slice::Slice& slice) { analysis->consume(slice); });
    return *this;
  }
  Asked& finish() {
    analysis->finish(slicer.names());
    return *this;
  }
  // The table of that key; an empty one, and a failed test, when there is none.
  Table table(std::string_view key, const analysis::TableOptions& options = {"", 0}) const {
    for (Table& table : analysis->tables(slicer.names(), options))
      if (table.key == key) return check(std::move(table));
    ADD_FAILURE() << "no table " << key;
    return {};
  }
  std::vector<std::string> headlines() const { return analysis->headlines(slicer.names()); }

 private:
  static Table check(Table table) {
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.key;
    return table;
  }
};

// A cell by row and column key.
inline Cell cell(const Table& table, std::size_t row, std::string_view column) {
  const auto found = std::ranges::find(table.columns, column, &analysis::ColumnInfo::key);
  if (found == table.columns.end() || row >= table.rows.size()) {
    ADD_FAILURE() << table.key << " has no " << column << " in row " << row;
    return {};
  }
  return table.rows[row][static_cast<std::size_t>(found - table.columns.begin())];
}

// Same for whole numbers and texts.
inline std::uint64_t number(const Table& table, std::size_t row, std::string_view column) {
  const Cell value = cell(table, row, column);
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) return *whole;
  if (const auto* whole = std::get_if<std::int64_t>(&value))
    return static_cast<std::uint64_t>(*whole);
  ADD_FAILURE() << table.key << "." << column << " in row " << row << " is no whole number";
  return 0;
}
inline std::string text(const Table& table, std::size_t row, std::string_view column) {
  const Cell value = cell(table, row, column);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  ADD_FAILURE() << table.key << "." << column << " in row " << row << " is no text";
  return {};
}
inline bool unknown(const Table& table, std::size_t row, std::string_view column) {
  return std::holds_alternative<std::monostate>(cell(table, row, column));
}

// Puts events of one thread into a batch.
class Stream {
 public:
  Stream(event::Batch& batch, base::Id thread)
      : batch_(batch), thread_(batch.thread_slot(thread)) {}

  template <class T>
  Stream& add(base::Time time, base::Id id, const T& details) {
    batch_.add(time, thread_, id, details);
    return *this;
  }
  event::Stack stack(std::initializer_list<base::Id> frames) {
    event::Stack stack;
    stack.first = static_cast<std::uint32_t>(batch_.frames.size());
    stack.count = static_cast<std::uint32_t>(frames.size());
    batch_.frames.insert(batch_.frames.end(), frames);
    return stack;
  }
  event::Refs refs(std::initializer_list<base::Id> targets) {
    auto& all = batch_.column<event::Ref>();
    event::Refs refs;
    refs.first = static_cast<std::uint32_t>(all.size());
    refs.count = static_cast<std::uint32_t>(targets.size());
    for (const base::Id target : targets) all.push_back({target, 0});
    return refs;
  }
  Stream& method(base::Id id, std::string_view name) {
    event::Method method;
    method.name = batch_.keep(name);
    return add(0, id, method);
  }
  Stream& type(base::Id id, std::string_view name) {
    event::Class type;
    type.name = batch_.keep(name);
    return add(0, id, type);
  }

 private:
  event::Batch& batch_;
  std::uint16_t thread_;
};

}  // namespace polytrace::test
