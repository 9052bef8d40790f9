// SPDX-License-Identifier: Apache-2.0
// INT, the format's number: 7 bits a byte, lowest group first, the high bit on the last byte only;
// unsigned, at most 64 bits in 10 bytes (docs/formats/monoblock.md, section 1). Pure.
#pragma once

#include <bit>

#include "base/io/appender.hpp"
#include "base/io/cursor.hpp"

namespace polytrace::format::monoblock {

// A number of at most eight bytes; bytes = 0 for a longer one.
struct Number {
  std::uint64_t value;
  unsigned bytes;
};

// Out of one load, without a loop. REQUIRES: 8 bytes.
inline Number load_number(const std::byte* at) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  const auto word = base::load_le<std::uint64_t>(at);
  if ((word & 0x80) != 0) return {word & 0x7f, 1};
  const std::uint64_t stops = word & kHighBits;
  if (stops == 0) [[unlikely]]
    return {0, 0};
  // The digits up to the stop, squeezed together pair by pair.
  std::uint64_t value = word & (stops ^ (stops - 1)) & ~kHighBits;
  value = (value & 0x007f007f007f007fU) | (value & 0x7f007f007f007f00U) >> 1;
  value = (value & 0x00003fff00003fffU) | (value & 0x3fff00003fff0000U) >> 2;
  value = (value & 0x000000000fffffffU) | (value & 0x0fffffff00000000U) >> 4;
  return {value, static_cast<unsigned>(std::countr_zero(stops)) / 8 + 1};
}

// A number of any length, and at the end of the bytes. Faults: field_past_end, number_too_long.
std::uint64_t long_number(base::Cursor& in);

[[gnu::always_inline]] inline std::uint64_t number(base::Cursor& in) {
  if (in.left() >= sizeof(std::uint64_t)) [[likely]] {
    const Number found = load_number(in.at());
    if (found.bytes != 0) [[likely]] {
      in.move_to(in.at() + found.bytes);
      return found.value;
    }
  }
  return long_number(in);
}

inline constexpr std::size_t kMostNumberBytes = 10;

// Gives where it ends. REQUIRES: room for kMostNumberBytes.
inline std::byte* put_number(std::byte* at, std::uint64_t value) {
  for (; value > 0x7f; value >>= 7) *at++ = static_cast<std::byte>(value & 0x7f);
  *at++ = static_cast<std::byte>(value | 0x80);
  return at;
}

inline void append_number(base::Appender& out, std::uint64_t value) {
  const std::size_t before = out.size();
  std::byte* const begin = out.extend(kMostNumberBytes);
  out.shrink(before + static_cast<std::size_t>(put_number(begin, value) - begin));
}

}  // namespace polytrace::format::monoblock
