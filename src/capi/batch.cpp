// SPDX-License-Identifier: Apache-2.0
#include "capi/batch.hpp"

#include <fmt/format.h>

#include <bit>

#include "base/codes.hpp"
#include "base/text/utf8.hpp"

namespace polytrace::capi {
namespace {

bool is_ascii(std::string_view text) {
  for (const char byte : text)
    if (static_cast<signed char>(byte) < 0) return false;
  return true;
}

std::string number_text(sql::Type type, std::int64_t word) {
  if (type == sql::Type::integer) return fmt::format("{}", word);
  return fmt::format("{}", std::bit_cast<double>(word));
}

base::Unexpected misfit(std::string_view name, std::string_view what) {
  return base::fail(base::Code::query_wrong,
                    fmt::format("column \"{}\": {}; CAST(... AS TEXT) holds both", name, what));
}

}  // namespace

void Column::add(const sql::Value& value) {
  seen_[static_cast<std::size_t>(value.type)] = true;
  if (value.is_null()) ++nulls_;
  if (value.type == sql::Type::text) add_text(value.text);
  types_.push_back(value.type);
  words_.push_back(value.type == sql::Type::real ? std::bit_cast<std::int64_t>(value.real)
                                                 : value.integer);
  if (!offsets_.empty()) offsets_.push_back(static_cast<std::int32_t>(bytes_.size()));
}

void Column::add_text(std::string_view text) {
  if (offsets_.empty()) offsets_.assign(types_.size() + 1, 0);
  if (is_ascii(text)) bytes_ += text;
  else bytes_ += base::repaired(text);
}

std::optional<CellType> Column::own_type() const {
  if (has(sql::Type::text)) return CellType::text;
  if (has(sql::Type::real)) return CellType::real;
  if (has(sql::Type::integer)) return CellType::integer;
  return std::nullopt;
}

base::result<void> Column::settle(CellType type, std::string_view name) {
  type_ = type;
  if (type != CellType::text && has(sql::Type::text)) return misfit(name, "a text behind numbers");
  if (type == CellType::integer && has(sql::Type::real))
    return misfit(name, "a real number behind whole ones");
  if (type == CellType::real && !make_reals())
    return misfit(name, "a whole number that no real one holds");
  if (type == CellType::text) make_texts();
  if (nulls_ != 0) mark_valid();
  return {};
}

bool Column::make_reals() {
  if (!has(sql::Type::integer)) return true;
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (types_[i] != sql::Type::integer) continue;
    if (words_[i] > kMost || words_[i] < -kMost) return false;
    words_[i] = std::bit_cast<std::int64_t>(static_cast<double>(words_[i]));
  }
  return true;
}

void Column::make_texts() {
  if (offsets_.empty()) offsets_.assign(types_.size() + 1, 0);
  if (!has(sql::Type::integer) && !has(sql::Type::real)) return;
  std::string bytes;
  std::vector<std::int32_t> offsets{0};
  for (std::size_t i = 0; i < types_.size(); ++i) {
    if (types_[i] == sql::Type::text) bytes += text(i);
    else if (!is_null(i)) bytes += number_text(types_[i], words_[i]);
    offsets.push_back(static_cast<std::int32_t>(bytes.size()));
  }
  bytes_ = std::move(bytes);
  offsets_ = std::move(offsets);
}

void Column::mark_valid() {
  valid_.assign((types_.size() + 7) / 8, 0);
  for (std::size_t i = 0; i < types_.size(); ++i)
    if (!is_null(i)) valid_[i / 8] |= static_cast<std::uint8_t>(1U << (i % 8));
}

const void* Column::values() const {
  if (type_ == CellType::text) return bytes_.data();
  return words_.data();
}

std::string_view Column::text(std::size_t row) const {
  const auto from = static_cast<std::size_t>(offsets_[row]);
  return std::string_view(bytes_).substr(from, static_cast<std::size_t>(offsets_[row + 1]) - from);
}

}  // namespace polytrace::capi
