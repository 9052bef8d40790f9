// SPDX-License-Identifier: Apache-2.0
// What functions over whole tables have in common: which table and columns they are about, and rows
// of it that fit a filter. One thread at a time.
#pragma once

#include <string>
#include <vector>

#include "sql/functions/functions.hpp"

namespace polytrace::sql {

// A table by the text of a parameter. Errors: query_wrong.
base::result<const Table*> table_named(const FindTable& find, const Value& name);
// The number of a column. Errors: query_wrong.
base::result<int> column_named(const TableInfo& table, std::string_view name);

// As Scan has columns.
inline std::uint64_t bit_of(int column) { return std::uint64_t{1} << std::min(column, 63); }
inline double number_of(const Value& value) {
  return value.is_integer() ? static_cast<double>(value.integer) : value.real;
}

// Rows that fit "method_id = 5 and ts >= 0": tests of pushed columns with whole numbers, and of
// texts that are equal.
class FilteredRows {
 public:
  // `columns`: bits of those that will be looked at. The table must outlive it. Errors:
  // query_wrong; those of the table.
  static base::result<std::unique_ptr<FilteredRows>> open(const Table& table, const Value& filter,
                                                          std::uint64_t columns,
                                                          const std::atomic<bool>* stop);
  // As Cursor's. Errors: also query_timeout, when asked to stop.
  base::result<bool> next();
  Value value(int column) const { return cursor_->value(column); }

 private:
  base::result<void> parse(const TableInfo& table, std::string_view filter);
  base::result<void> parse_one(const TableInfo& table, std::string_view test);
  bool fits() const;

  std::string text_;  // what conditions' texts are of
  Scan scan_;
  std::unique_ptr<Cursor> cursor_;
  std::uint32_t looks_ = 0;
};

}  // namespace polytrace::sql
