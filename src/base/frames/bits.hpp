// SPDX-License-Identifier: Apache-2.0
// Columns of numbers of one width, packed without gaps: number i in bits i * width and up, bit 0 of
// byte 0 first.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "base/io/appender.hpp"
#include "base/io/cursor.hpp"

namespace polytrace::base {

inline constexpr unsigned kMostBits = 64;
// Readers fetch eight bytes and one more at once: that many must be readable behind any column.
inline constexpr std::size_t kReadable = 16;

inline unsigned width_of(std::uint64_t most) {
  return kMostBits - static_cast<unsigned>(std::countl_zero(most));
}

inline std::uint64_t packed_bytes(std::uint64_t count, unsigned width) {
  return (count * width + 7) / 8;
}

// REQUIRES: width <= 64, kReadable bytes behind the column.
inline std::uint64_t bits_at(const std::byte* column, std::uint64_t index, unsigned width) {
  constexpr unsigned kOneLoad = kMostBits - 7;
  if (width == 0) return 0;
  const std::uint64_t bit = index * width;
  const std::byte* const at = column + bit / 8;
  const auto shift = static_cast<unsigned>(bit % 8);
  std::uint64_t value = load_le<std::uint64_t>(at) >> shift;
  if (width > kOneLoad && shift != 0)
    value |= static_cast<std::uint64_t>(at[8]) << (kMostBits - shift);
  return value & (~std::uint64_t{0} >> (kMostBits - width));
}

// The bits set in each byte and those below it; in the highest byte, in all. (Without the
// processor's own instructions, which not every one has, counting bits is a call.)
inline std::uint64_t byte_sums(std::uint64_t word) {
  word -= word >> 1 & 0x5555555555555555U;
  word = (word & 0x3333333333333333U) + (word >> 2 & 0x3333333333333333U);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fU;
  return word * 0x0101010101010101U;
}

// Where in a byte its ones are: of each, by number.
inline constexpr auto kPlacesOfOnes = [] {
  std::array<std::array<std::uint8_t, 8>, 256> places{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    unsigned number = 0;
    for (unsigned bit = 0; bit < 8; ++bit) {
      if ((byte >> bit & 1) != 0) places[byte][number++] = static_cast<std::uint8_t>(bit);
    }
  }
  return places;
}();

// The place of one number `number`, from 0. REQUIRES: there is one; `sums` are the word's.
inline unsigned place_of_one(std::uint64_t word, std::uint64_t sums, std::uint64_t number) {
  constexpr std::uint64_t kEach = 0x0101010101010101U;
  constexpr std::uint64_t kTops = 0x8080808080808080U;
  const std::uint64_t below = ((number * kEach | kTops) - sums) & kTops;  // bytes to go beyond
  const auto shift = static_cast<unsigned>((below >> 7) * kEach >> 56) * 8;
  const std::uint64_t in_byte = number - (sums << 8 >> shift & 0xff);
  return shift + kPlacesOfOnes[word >> shift & 0xff][in_byte & 7];
}

// The lowest 0 to 8 bytes of a word.
inline constexpr std::array<std::uint64_t, 9> kByteMasks = [] {
  std::array<std::uint64_t, 9> masks{};
  for (std::size_t bytes = 1; bytes < masks.size(); ++bytes)
    masks[bytes] = masks[bytes - 1] << 8 | 0xff;
  return masks;
}();

inline void set_bit(std::byte* bitmap, std::uint64_t index) {
  bitmap[index / 8] |= std::byte{1} << (index % 8);
}

// Appends get(0) .. get(count - 1). REQUIRES: each below 2^width.
template <class Get>
void pack(Appender& to, std::size_t count, unsigned width, Get get) {
  if (width == 0) return;
  const std::size_t size = to.size() + packed_bytes(count, width);
  std::byte* at = to.extend(packed_bytes(count, width) + sizeof(std::uint64_t));
  std::uint64_t held = 0;
  unsigned fill = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t value = get(i);
    held |= value << fill;
    fill += width;
    if (fill < kMostBits) continue;
    std::memcpy(at, &held, sizeof held);
    at += sizeof held;
    fill -= kMostBits;
    held = fill == 0 ? 0 : value >> (width - fill);
  }
  std::memcpy(at, &held, sizeof held);
  to.shrink(size);
}

// Overwrites what was appended at `at`.
template <class T>
void patch(Appender& to, std::size_t at, T value) {
  std::memcpy(to.extend(0) - (to.size() - at), &value, sizeof value);
}

// The form of svarint: small numbers of either sign become small unsigned ones.
inline std::uint64_t zigzag(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}
inline std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
}

// Ticks are added and subtracted modulo 2^64: no difference overflows.
inline std::uint64_t ticks_between(std::int64_t from, std::int64_t to) {
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}
inline std::int64_t tick_after(std::int64_t from, std::uint64_t ticks) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(from) + ticks);
}
inline std::int64_t tick_before(std::int64_t tick) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(tick) - 1);
}

}  // namespace polytrace::base
