// SPDX-License-Identifier: Apache-2.0
// RowBinary, the format that rows travel in to and from ClickHouse: fixed values little-endian, of
// texts and lists first how many, as LEB128. Columns have no names in it: both sides must agree.
// Reading trusts nothing: it is bounds-checked, and no count reserves memory that the bytes at hand
// could not fill.
#pragma once

#include <tuple>
#include <type_traits>

#include "base/io/appender.hpp"
#include "base/io/cursor.hpp"
#include "warehouse/rows.hpp"

namespace polytrace::warehouse {

template <class T>
concept FixedValue = std::is_trivially_copyable_v<T>;

template <FixedValue T>
void append_value(const T& value, base::Appender& out) {
  out.fixed(value);
}
inline void append_value(const std::string& value, base::Appender& out) {
  out.uleb(value.size());
  out.text(value);
}
template <class T>
void append_value(const std::vector<T>& values, base::Appender& out) {
  out.uleb(values.size());
  for (const T& value : values) append_value(value, out);
}

// Faults stay in the cursor; the value is then of no meaning.
template <FixedValue T>
void read_value(base::Cursor& in, T& value) {
  value = in.fixed<T>();
}
inline void read_value(base::Cursor& in, std::string& value) {
  const base::Bytes bytes = in.bytes(in.uleb());
  value.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}
template <class T>
constexpr std::size_t kLeastBytes = 1;
template <FixedValue T>
constexpr std::size_t kLeastBytes<T> = sizeof(T);

template <class T>
void read_value(base::Cursor& in, std::vector<T>& values) {
  const std::uint64_t count = in.uleb();
  values.clear();
  if (!in.fits(count, kLeastBytes<T>)) return;
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) read_value(in, values.emplace_back());
}
// A row of an answer that is no table's. Values stand in the order of the SELECT.
template <class... T>
void read_value(base::Cursor& in, std::tuple<T...>& values) {
  std::apply([&](auto&... value) { (read_value(in, value), ...); }, values);
}

template <class Row>
void append_row(const Row& row, base::Appender& out) {
  visit_columns(row, [&](std::string_view, std::string_view, const auto& value) {
    append_value(value, out);
  });
}
// False at a fault, which the cursor keeps.
template <class Row>
bool read_row(base::Cursor& in, Row& row) {
  visit_columns(row,
                [&](std::string_view, std::string_view, auto& value) { read_value(in, value); });
  return in.ok();
}

}  // namespace polytrace::warehouse
