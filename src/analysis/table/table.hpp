// SPDX-License-Identifier: Apache-2.0
// What an analysis answers: tables of plain cells with units. How they look (text, JSON, CSV,
// Markdown) is decided elsewhere; nothing here is formatted.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace polytrace::analysis {

enum class Unit : std::uint8_t { none, count, bytes, nanoseconds, time, percent, address };

struct ColumnInfo {
  std::string key;    // stable, snake_case: the JSON member, the CSV head, the --sort word
  std::string title;  // for people
  Unit unit = Unit::none;
  bool is_rare = false;  // not shown to people where no row has it
};

// monostate = not known; a JSON null. Times (Unit::time) are nanoseconds of the trace's clock.
using Cell = std::variant<std::monostate, std::int64_t, std::uint64_t, double, std::string>;

// Rows that are made when they are shown: all at once would take more memory than what they are
// made of.
struct LaterRows {
  std::uint64_t count = 0;
  std::function<std::vector<Cell>(std::uint64_t row)> make{};
};

struct Table {
  std::string key;      // stable, snake_case, unique in a report: "methods"
  std::string section;  // the --sections word it belongs to: "calls"
  std::string title;
  std::vector<ColumnInfo> columns;
  std::vector<std::vector<Cell>> rows;  // each as long as columns
  LaterRows later{};                    // behind them; only of a question that allows it
  // Rows that --limit cut off: said below the table, never silently.
  std::uint64_t rows_left_out = 0;
  // A tree: this column holds each row's depth (0 = root) and rows are in depth-first order.
  // -1 = a flat table, which the presenter may sort.
  int depth_column = -1;
  std::vector<std::string> notes;  // sentences to show below
};

struct TableOptions {
  std::string sort;          // a column key; empty = the table's own order
  std::uint64_t limit = 20;  // rows per table, 0 = all
};

}  // namespace polytrace::analysis
