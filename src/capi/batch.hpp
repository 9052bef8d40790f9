// SPDX-License-Identifier: Apache-2.0
// Rows of an answer gathered into columns of one type each. One thread; once settled, any.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "sql/engine.hpp"

namespace polytrace::capi {

enum class CellType : std::uint8_t { integer = 1, real = 2, text = 3 };

class Column {
 public:
  // Text that is no UTF-8 has U+FFFD in its place.
  void add(const sql::Value& value);
  // What its cells are together; nothing where none is told.
  std::optional<CellType> own_type() const;
  // Once, behind the last cell. Errors: query_wrong, where a cell does not fit the type.
  base::result<void> settle(CellType type, std::string_view name);

  CellType type() const { return type_; }
  std::size_t rows() const { return types_.size(); }
  std::size_t nulls() const { return nulls_; }
  std::size_t text_bytes() const { return bytes_.size(); }
  // As pt_column has them.
  const void* values() const;
  const std::int32_t* offsets() const { return offsets_.empty() ? nullptr : offsets_.data(); }
  const std::uint8_t* valid() const { return valid_.empty() ? nullptr : valid_.data(); }
  std::string_view text(std::size_t row) const;
  bool is_null(std::size_t row) const { return types_[row] == sql::Type::null; }

 private:
  bool has(sql::Type type) const { return seen_[static_cast<std::size_t>(type)]; }
  void add_text(std::string_view text);
  bool make_reals();
  void make_texts();
  void mark_valid();

  CellType type_ = CellType::integer;
  std::size_t nulls_ = 0;
  std::array<bool, 4> seen_{};           // types of cells
  std::vector<sql::Type> types_{};       // of each cell
  std::vector<std::int64_t> words_{};    // numbers; the bits of reals
  std::vector<std::int32_t> offsets_{};  // into bytes_, once there is a text
  std::string bytes_{};
  std::vector<std::uint8_t> valid_{};
};

struct Batch {
  std::vector<Column> columns{};
  std::size_t rows = 0;
};

}  // namespace polytrace::capi
