// SPDX-License-Identifier: Apache-2.0
// Cells into vectors of DuckDB and out of them. Texts in vectors are UTF-8: what is none is
// repaired.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>

#include "sql/duckdb/handles.hpp"
#include "sql/model/value.hpp"

namespace polytrace::sql {

// A vector that is being filled: bigint, double or varchar.
class DuckFill {
 public:
  DuckFill(const DuckApi& api, DuckVector vector, DuckType type)
      : api_(api), vector_(vector), type_(type), data_(api.vector_get_data(vector)) {}
  // Numbers in a column of texts become texts, of whole numbers in one of reals reals; what has no
  // place is NULL.
  void put(std::uint64_t row, const Value& value);
  // Rows from the first one on, of a vector of bigint; `nulls` is 1 by NULL, empty where there is
  // none.
  void put_all(std::span<const std::int64_t> numbers, std::span<const std::uint8_t> nulls);

 private:
  void put_null(std::uint64_t row);
  void put_text(std::uint64_t row, std::string_view text);

  const DuckApi& api_;
  DuckVector vector_;
  DuckType type_;
  void* data_;
  std::uint64_t* valid_ = nullptr;
};

// A vector whose cells are read. Texts live as long as the chunk, or, of numbers that no cell has
// room for, until the next row is read.
class DuckRead {
 public:
  // REQUIRES: can_read() its type.
  DuckRead(const DuckApi& api, DuckVector vector);
  static bool can_read(DuckType type);
  // "INTEGER", "REAL", "TEXT".
  static std::string_view type_word(DuckType type);
  Value value(std::uint64_t row);

 private:
  template <class Number>
  Number at(std::uint64_t row) const {
    return static_cast<const Number*>(data_)[row];
  }
  Value huge(std::uint64_t row) const;
  Value decimal(std::uint64_t row) const;

  DuckType type_ = DuckType::null;
  DuckType inside_ = DuckType::bigint;  // of a decimal
  double scale_ = 1;
  const void* data_;
  const std::uint64_t* valid_;
};

// Of a parameter; `texts` keeps its text.
Value read_duck_value(const DuckApi& api, DuckValue value, std::deque<std::string>& texts);

}  // namespace polytrace::sql
