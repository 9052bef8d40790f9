// SPDX-License-Identifier: Apache-2.0
// A table as who makes one sees it: what its columns are, and cursors over its rows. It knows
// nothing of who asks. Tables are immutable and may be read by any number of threads, a cursor by
// one at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "sql/model/value.hpp"

namespace polytrace::sql {

struct Column {
  std::string_view name;
  Type type;
  std::string_view unit;  // "ns", "bytes", ...; empty: none
  std::string_view meaning;
  // What the table looks at before it gives rows, or what only a question tells it: a parameter of
  // a function, and `meets` of tables of intervals.
  enum class Use : std::uint8_t { plain, pushed, parameter } use = Use::plain;
};

struct TableInfo {
  std::string_view name;
  std::string_view meaning;
  std::vector<Column> columns;
  bool is_function = false;

  int find(std::string_view column) const {
    const auto found = std::ranges::find(columns, column, &Column::name);
    return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
  }
};

// A span of time that intervals meet: start < to and end > from.
struct Meeting {
  std::int64_t from = INT64_MIN;
  std::int64_t to = INT64_MAX;

  bool meets(std::int64_t start, std::int64_t end) const { return start < to && end > from; }
};

// What rows are asked for. Values live as long as the scan.
struct Condition {
  // `matches` is GLOB or LIKE, with the pattern.
  enum class Test : std::uint8_t {
    equal,
    less,
    less_equal,
    greater,
    greater_equal,
    any_of,
    glob,
    like
  };

  int column;
  Test test;
  Value value{};
  std::vector<Value> list{};  // of any_of

  // Of whole numbers alone; others are left to who asks: true.
  bool holds(const Value& cell) const;
};

struct Scan {
  // All of them hold for each row that a cursor gives, as far as they are about whole numbers or
  // parameters. Others may be left to who asks.
  std::vector<Condition> conditions{};
  std::uint64_t columns = ~std::uint64_t{0};  // that are asked for; bit 63: all from there on
  const std::atomic<bool>* stop = nullptr;    // null: never

  bool is_stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
  // Of a parameter; null where it is not given.
  Value parameter(int column) const;
  bool has_parameter(int column) const;
  // Whether anybody looks at the column: who asks, or a condition.
  bool is_asked(int column) const;
  // The narrowest interval, both ends in it, that the conditions of the column leave.
  struct Bounds {
    std::int64_t least = INT64_MIN;
    std::int64_t most = INT64_MAX;
    bool is_empty() const { return least > most; }
    bool is_one() const { return least == most; }
  };
  Bounds bounds(int column) const;
};

class Cursor {
 public:
  Cursor() = default;
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;
  virtual ~Cursor() = default;

  // Moves to the first, then to the next row; false: there is none.
  virtual base::result<bool> next() = 0;
  // Of the row it is at; texts live until it moves.
  virtual Value value(int column) const = 0;
};

// Whole numbers of many rows at once, for who reads a lot of them.
class NumberPages {
 public:
  NumberPages() = default;
  NumberPages(const NumberPages&) = delete;
  NumberPages& operator=(const NumberPages&) = delete;
  virtual ~NumberPages() = default;

  // Rows of the next page; 0: there are no more. Errors as Cursor's.
  virtual base::result<std::size_t> next() = 0;
  // Of the page that it is at, by the column's place in what was asked.
  virtual std::span<const std::int64_t> numbers(std::size_t place) const = 0;
  // 1 where the cell is NULL; empty: none is.
  virtual std::span<const std::uint8_t> nulls(std::size_t place) const = 0;
};

class Table {
 public:
  Table() = default;
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  virtual ~Table() = default;

  virtual const TableInfo& info() const = 0;
  // About how many rows a scan with tests of these columns gives; `columns` are bits.
  virtual double estimate(std::uint64_t equal, std::uint64_t ranges) const = 0;
  // Rows are in ascending order of this column, whatever the conditions; -1: in none.
  virtual int order() const { return -1; }
  virtual base::result<std::unique_ptr<Cursor>> open(const Scan& scan) const = 0;
  // All rows, of these columns alone. Null: it has no such pages, its cursors tell. `stop` may be
  // null.
  virtual std::unique_ptr<NumberPages> pages(std::span<const int>, const std::atomic<bool>*) const {
    return nullptr;
  }
};

}  // namespace polytrace::sql
