// SPDX-License-Identifier: Apache-2.0
#include "sql/duckdb/vectors.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "base/text/utf8.hpp"

namespace polytrace::sql {
namespace {

constexpr double kTwoTo64 = 18446744073709551616.0;

bool is_plain(std::string_view text) {
  for (const char byte : text)
    if (static_cast<signed char>(byte) < 0) return false;
  return true;
}

bool is_whole(DuckType type) { return type >= DuckType::boolean && type <= DuckType::ubigint; }

Value as_whole_or_real(double number, std::int64_t whole, bool fits) {
  return fits ? Value::of(whole) : Value::of(number);
}

}  // namespace

void DuckFill::put_null(std::uint64_t row) {
  if (valid_ == nullptr) {
    api_.vector_ensure_validity_writable(vector_);
    valid_ = api_.vector_get_validity(vector_);
  }
  valid_[row / 64] &= ~(std::uint64_t{1} << (row % 64));
}

void DuckFill::put_text(std::uint64_t row, std::string_view text) {
  if (is_plain(text))
    return api_.vector_assign_string_element_len(vector_, row, text.data(), text.size());
  const std::string good = base::repaired(text);
  api_.vector_assign_string_element_len(vector_, row, good.data(), good.size());
}

void DuckFill::put(std::uint64_t row, const Value& value) {
  const bool is_integer = value.type == Type::integer;
  const bool is_real = value.type == Type::real;
  if (type_ == DuckType::bigint && is_integer)
    static_cast<std::int64_t*>(data_)[row] = value.integer;
  else if (type_ == DuckType::double_ && (is_integer || is_real))
    static_cast<double*>(data_)[row] = is_real ? value.real : static_cast<double>(value.integer);
  else if (type_ == DuckType::varchar && value.type == Type::text) put_text(row, value.text);
  else if (type_ == DuckType::varchar && is_integer)
    put_text(row, fmt::format("{}", value.integer));
  else if (type_ == DuckType::varchar && is_real) put_text(row, fmt::format("{}", value.real));
  else put_null(row);
}

void DuckFill::put_all(std::span<const std::int64_t> numbers, std::span<const std::uint8_t> nulls) {
  std::memcpy(data_, numbers.data(), numbers.size_bytes());
  for (std::size_t row = 0; row < nulls.size(); ++row)
    if (nulls[row] != 0) put_null(row);
}

DuckRead::DuckRead(const DuckApi& api, DuckVector vector)
    : data_(api.vector_get_data(vector)), valid_(api.vector_get_validity(vector)) {
  const OwnedType type(api, api.vector_get_column_type(vector));
  type_ = api.get_type_id(type.get());
  if (type_ != DuckType::decimal) return;
  inside_ = api.decimal_internal_type(type.get());
  scale_ = std::pow(10.0, api.decimal_scale(type.get()));
}

bool DuckRead::can_read(DuckType type) {
  return is_whole(type) || type == DuckType::real || type == DuckType::double_ ||
         type == DuckType::hugeint || type == DuckType::uhugeint || type == DuckType::varchar ||
         type == DuckType::blob || type == DuckType::decimal || type == DuckType::null;
}

std::string_view DuckRead::type_word(DuckType type) {
  if (type == DuckType::varchar || type == DuckType::blob || type == DuckType::null) return "TEXT";
  // They may be larger than a cell has room for.
  if (type == DuckType::hugeint || type == DuckType::uhugeint || type == DuckType::ubigint)
    return "";
  return is_whole(type) ? "INTEGER" : "REAL";
}

Value DuckRead::huge(std::uint64_t row) const {
  const auto number = at<DuckHuge>(row);
  if (type_ == DuckType::uhugeint) {
    const auto upper = static_cast<std::uint64_t>(number.upper);
    return as_whole_or_real(
        static_cast<double>(upper) * kTwoTo64 + static_cast<double>(number.lower),
        static_cast<std::int64_t>(number.lower), upper == 0 && number.lower <= INT64_MAX);
  }
  const bool fits = (number.upper == 0 && number.lower <= INT64_MAX) ||
                    (number.upper == -1 && number.lower > INT64_MAX);
  return as_whole_or_real(
      static_cast<double>(number.upper) * kTwoTo64 + static_cast<double>(number.lower),
      static_cast<std::int64_t>(number.lower), fits);
}

Value DuckRead::decimal(std::uint64_t row) const {
  switch (inside_) {
    case DuckType::smallint: return Value::of(at<std::int16_t>(row) / scale_);
    case DuckType::integer: return Value::of(at<std::int32_t>(row) / scale_);
    case DuckType::bigint: return Value::of(static_cast<double>(at<std::int64_t>(row)) / scale_);
    default: break;
  }
  const auto number = at<DuckHuge>(row);
  const double whole =
      static_cast<double>(number.upper) * kTwoTo64 + static_cast<double>(number.lower);
  return Value::of(whole / scale_);
}

Value DuckRead::value(std::uint64_t row) {
  if (valid_ != nullptr && (valid_[row / 64] >> (row % 64) & 1) == 0) return {};
  switch (type_) {
    case DuckType::boolean: return Value::of(std::int64_t{at<std::uint8_t>(row)});
    case DuckType::tinyint: return Value::of(std::int64_t{at<std::int8_t>(row)});
    case DuckType::smallint: return Value::of(std::int64_t{at<std::int16_t>(row)});
    case DuckType::integer: return Value::of(std::int64_t{at<std::int32_t>(row)});
    case DuckType::bigint: return Value::of(at<std::int64_t>(row));
    case DuckType::utinyint: return Value::of(std::int64_t{at<std::uint8_t>(row)});
    case DuckType::usmallint: return Value::of(std::int64_t{at<std::uint16_t>(row)});
    case DuckType::uinteger: return Value::of(std::int64_t{at<std::uint32_t>(row)});
    case DuckType::ubigint: {
      const auto number = at<std::uint64_t>(row);
      return as_whole_or_real(static_cast<double>(number), static_cast<std::int64_t>(number),
                              number <= INT64_MAX);
    }
    case DuckType::real: return Value::of(static_cast<double>(at<float>(row)));
    case DuckType::double_: return Value::of(at<double>(row));
    case DuckType::hugeint:
    case DuckType::uhugeint: return huge(row);
    case DuckType::decimal: return decimal(row);
    case DuckType::varchar:
    case DuckType::blob: {
      const auto& text = static_cast<const DuckText*>(data_)[row];
      return Value::of(std::string_view(text.data(), text.length));
    }
    default: return {};
  }
}

Value read_duck_value(const DuckApi& api, DuckValue value, std::deque<std::string>& texts) {
  if (api.is_null_value(value)) return {};
  const DuckType type = api.get_type_id(api.get_value_type(value));
  if (is_whole(type)) return Value::of(api.get_int64(value));
  if (type == DuckType::double_ || type == DuckType::real || type == DuckType::decimal)
    return Value::of(api.get_double(value));
  char* const text = api.get_varchar(value);
  if (text == nullptr) return {};
  texts.emplace_back(text);
  api.free(text);
  return Value::of(std::string_view(texts.back()));
}

}  // namespace polytrace::sql
