// SPDX-License-Identifier: Apache-2.0
#include "sql/files/fitted.hpp"

#include <fmt/format.h>

#include "base/codes.hpp"
#include "base/text/utf8.hpp"

namespace polytrace::sql {
namespace {

constexpr std::int64_t kWholeInReals = std::int64_t{1} << 53;

bool is_ascii(std::string_view text) {
  for (const char byte : text)
    if (static_cast<signed char>(byte) < 0) return false;
  return true;
}

Value text_value(const Value& cell, std::string& text) {
  if (cell.type == Type::text && is_ascii(cell.text)) return Value::of(cell.text);
  if (cell.type == Type::text) text = base::repaired(cell.text);
  else text = cell.is_integer() ? fmt::format("{}", cell.integer) : fmt::format("{}", cell.real);
  return Value::of(std::string_view(text));
}

}  // namespace

base::result<Value> fitted(const Value& cell, Type column, std::string_view name,
                           std::string& text) {
  if (cell.is_null() || cell.type == column) {
    return column == Type::text && !cell.is_null() ? text_value(cell, text) : cell;
  }
  if (column == Type::text || column == Type::null) return text_value(cell, text);
  const bool fits = column == Type::real && cell.is_integer() && cell.integer <= kWholeInReals &&
                    cell.integer >= -kWholeInReals;
  if (fits) return Value::of(static_cast<double>(cell.integer));
  return base::fail(
      base::Code::query_wrong,
      fmt::format("column \"{}\" has cells of several types: CAST makes them one", name));
}

}  // namespace polytrace::sql
