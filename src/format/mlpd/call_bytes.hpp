// SPDX-License-Identifier: Apache-2.0
// One ENTER, LEAVE or EXC_LEAVE record taken apart without loops or branches: first byte, time
// (uleb), method (sleb). Both numbers come out of one 8-byte load; records that need more are left
// to the general path.
#pragma once

#include <bit>
#include <cstdint>

#include "base/cursor.hpp"

namespace polytrace::format::mlpd {

inline constexpr std::size_t kCallBytes = 9;  // loaded per record, whatever its length

class CallBytes {
 public:
  // REQUIRES: kCallBytes readable bytes at `at`.
  explicit CallBytes(const std::byte* at)
      : first_(static_cast<unsigned>(*at)), word_(base::load_le<std::uint64_t>(at + 1)) {
    constexpr std::uint64_t kHighBits = 0x8080808080808080U;
    const std::uint64_t stops = ~word_ & kHighBits;  // bit 7 of each last byte
    const std::uint64_t later = stops & (stops - 1);
    time_bits_ = static_cast<unsigned>(std::countr_zero(stops)) + 1;
    both_bits_ = static_cast<unsigned>(std::countr_zero(later)) + 1;
    complete_ = later != 0;
  }

  // A call record whose numbers both end inside the load.
  bool usual() const {
    constexpr unsigned kCallType = 3;
    const unsigned exinfo = first_ >> 4;
    return complete_ && (first_ & 0x0f) == kCallType && exinfo - 1 < 3;
  }
  // 1 leave, 2 enter, 3 left by an exception.
  unsigned kind() const { return first_ >> 4; }
  unsigned bytes() const { return 1 + both_bits_ / 8; }
  std::uint64_t time() const { return pack(word_ & low(time_bits_)); }
  std::uint64_t method() const {
    const unsigned bits = both_bits_ - time_bits_;  // 8 per byte, of which 7 count
    const std::uint64_t value = pack((word_ >> time_bits_) & low(bits));
    const unsigned shift = 64 - bits / 8 * 7;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << shift) >> shift);
  }

 private:
  static std::uint64_t low(unsigned bits) { return ~std::uint64_t{0} >> (64 - bits); }
  // Moves the low 7 bits of each byte together.
  static std::uint64_t pack(std::uint64_t groups) {
    groups = (groups & 0x007f007f007f007fU) | (groups & 0x7f007f007f007f00U) >> 1;
    groups = (groups & 0x00003fff00003fffU) | (groups & 0x3fff00003fff0000U) >> 2;
    return (groups & 0x000000000fffffffU) | (groups & 0x0fffffff00000000U) >> 4;
  }

  unsigned first_;
  std::uint64_t word_;
  unsigned time_bits_;
  unsigned both_bits_;
  bool complete_;
};

}  // namespace polytrace::format::mlpd
