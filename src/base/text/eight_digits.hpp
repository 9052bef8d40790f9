// SPDX-License-Identifier: Apache-2.0
// Decimal digits, several at once. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace polytrace::base {

template <class T>
T load_bytes(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// The number that the first `count` bytes of a text spell, of which `word` is how the first 8 lie
// in memory, 1 to 8; false when one is no digit.
inline bool eight_digits(std::uint64_t word, std::size_t count, std::uint64_t& value) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  // What is missing in front is zero.
  const std::uint64_t digits = (word ^ 0x30 * kOnes) << (64 - 8 * count);
  // Pairs, pairs of pairs, and these.
  const std::uint64_t pairs = digits * 10 + (digits >> 8);
  const std::uint64_t odd =
      (pairs & 0x000000ff000000ffU) * (100 + (std::uint64_t{1'000'000} << 32));
  const std::uint64_t even =
      (pairs >> 16 & 0x000000ff000000ffU) * (1 + (std::uint64_t{10'000} << 32));
  value = (odd + even) >> 32;
  return ((digits | (digits + 0x76 * kOnes)) & 0x80 * kOnes) == 0;
}

// The number that 1 to 19 digits spell; false when one of them is none.
inline bool digits_value(std::string_view text, std::uint64_t& value) {
  const char* at = text.data();
  const char* const end = at + text.size();
  value = 0;
  for (; end - at >= 8; at += 8) {
    std::uint64_t eight = 0;
    if (!eight_digits(load_bytes<std::uint64_t>(at), 8, eight)) return false;
    value = value * 100'000'000 + eight;
  }
  for (; at != end; ++at) {
    const auto digit = static_cast<std::uint8_t>(*at - '0');
    if (digit > 9) return false;
    value = value * 10 + digit;
  }
  return true;
}

}  // namespace polytrace::base
