// SPDX-License-Identifier: Apache-2.0
// What binary answers are made of: numbers in columns, little-endian, each column padded to 8
// bytes; and how wide a bucket may be. Pure functions.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "store/ask/zoom.hpp"

namespace polytrace::service {

static_assert(std::endian::native == std::endian::little);

inline constexpr std::size_t kAnswerHead = 64;  // bytes

template <class Number>
void put(std::string& out, std::size_t at, Number number) {
  std::memcpy(out.data() + at, &number, sizeof number);
}

template <class Number>
void put_column(std::string& out, const std::vector<Number>& numbers) {
  constexpr std::size_t kAlign = 8;
  const std::size_t at = out.size();
  const std::size_t bytes = numbers.size() * sizeof(Number);
  out.resize(at + (bytes + kAlign - 1) / kAlign * kAlign);
  if (bytes != 0) std::memcpy(out.data() + at, numbers.data(), bytes);
}

// The coarsest level whose buckets are no wider than one of so many parts of [from, to).
inline unsigned level_of(std::int64_t from, std::int64_t to, std::uint32_t parts) {
  const std::uint64_t span = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  const std::uint64_t part = span / std::max(parts, 1U);
  if (part == 0) return 0;
  return std::min(static_cast<unsigned>(std::bit_width(part)) - 1, store::kMostLevel);
}

}  // namespace polytrace::service
