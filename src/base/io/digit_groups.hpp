// SPDX-License-Identifier: Apache-2.0
// Tools for hot loops over numbers of seven bits a byte: where many of them end, and their digits
// out of one load (docs/decisions/0004-two-ways-to-decode-a-call.md). Thread-safe.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/io/cursor.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace polytrace::base {

inline constexpr std::uint64_t kDigitBits = 0x7f7f7f7f7f7f7f7fU;
inline constexpr std::size_t kHighBitsAtOnce = 64;

// Bit i: byte i has its high bit. REQUIRES: kHighBitsAtOnce bytes.
inline std::uint64_t high_bits(const std::byte* at) {
  std::uint64_t high = 0;
#ifdef __SSE2__
#pragma GCC unroll 4
  for (unsigned i = 0; i < kHighBitsAtOnce; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + i));
    high |= std::uint64_t{static_cast<std::uint16_t>(_mm_movemask_epi8(bytes))} << i;
  }
#else
  constexpr std::uint64_t kGather = 0x0002040810204081U;  // moves bit 7 of byte i to bit 56 + i
  for (unsigned i = 0; i < kHighBitsAtOnce; i += 8) {
    const std::uint64_t word = load_le<std::uint64_t>(at + i) & ~kDigitBits;
    high |= ((word * kGather) >> 56) << i;
  }
#endif
  return high;
}

// Bit i: byte i is `value`. REQUIRES: kHighBitsAtOnce bytes.
inline std::uint64_t equal_bits(const std::byte* at, std::uint8_t value) {
  std::uint64_t equal = 0;
#ifdef __SSE2__
  const __m128i wanted = _mm_set1_epi8(static_cast<char>(value));
#pragma GCC unroll 4
  for (unsigned i = 0; i < kHighBitsAtOnce; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + i));
    const int same = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted));
    equal |= std::uint64_t{static_cast<std::uint16_t>(same)} << i;
  }
#else
  for (unsigned i = 0; i < kHighBitsAtOnce; ++i)
    equal |= std::uint64_t{at[i] == std::byte{value}} << i;
#endif
  return equal;
}

// Two ways to do three things. number(): the digits of a number in a word, squeezed together;
// `digits` has the seven low bits of each of its bytes, which are neighbours; 0 gives 0. spread():
// the lowest 49 bits, seven to a byte. without_lowest(): the bits but for the lowest that is set.
struct ByShifts {
  static std::uint64_t number(std::uint64_t word, std::uint64_t digits) {
    std::uint64_t groups = (word & digits) >> (std::countr_zero(digits) & 63);
    groups = (groups & 0x007f007f007f007fU) | (groups & 0x7f007f007f007f00U) >> 1;
    groups = (groups & 0x00003fff00003fffU) | (groups & 0x3fff00003fff0000U) >> 2;
    return (groups & 0x0fffffffU) | (groups & 0x0fffffff00000000U) >> 4;
  }
  static std::uint64_t spread(std::uint64_t digits) {
    digits = (digits & 0x000000000fffffffU) | (digits & 0x0001fffff0000000U) << 4;
    digits = (digits & 0x00003fff00003fffU) | (digits & 0x0fffc0000fffc000U) << 2;
    return (digits & 0x007f007f007f007fU) | (digits & 0x3f803f803f803f80U) << 1;
  }
  static std::uint64_t without_lowest(std::uint64_t bits) { return bits & (bits - 1); }
};

#ifdef __x86_64__
// The processor's own instructions for this, by the compiler's names: the header that has others is
// two megabytes. REQUIRES: within with_bit_extract().
struct ByBitExtract {
  __attribute__((target("bmi2"))) static inline std::uint64_t number(std::uint64_t word,
                                                                     std::uint64_t digits) {
    return __builtin_ia32_pext_di(word, digits);
  }
  __attribute__((target("bmi2"))) static inline std::uint64_t spread(std::uint64_t digits) {
    return __builtin_ia32_pdep_di(digits, kDigitBits >> 8);
  }
  // In place: AMD's processors of family 1Ah wait for what the target held before, which compilers
  // do not know.
  static std::uint64_t without_lowest(std::uint64_t bits) {
    asm("blsr %0, %0" : "+r"(bits) : : "cc");
    return bits;
  }
};
// AMD's processors of family 17h have the instruction, but slower than what it replaces.
inline bool has_fast_bit_extract() {
  return __builtin_cpu_supports("bmi2") != 0 && __builtin_cpu_supports("lzcnt") != 0 &&
         __builtin_cpu_is("amdfam17h") == 0;
}
// Gives loop(ByBitExtract), compiled for processors that have it. REQUIRES: this is one of them,
// and the loop and what it calls are always inlined. Leading zeros are counted by lzcnt: its older
// form takes eight micro-operations on AMD's processors, which two of them a record cannot hide.
template <class Loop>
__attribute__((target("bmi,bmi2,lzcnt"))) auto with_bit_extract(Loop loop) {
  return loop(ByBitExtract{});
}
#else
inline bool has_fast_bit_extract() { return false; }
template <class Loop>
auto with_bit_extract(Loop loop) {
  return loop(ByShifts{});
}
#endif

enum class DigitsBy : std::uint8_t { shifts, bit_extract };

// What this processor is best at.
inline DigitsBy fastest_digits() {
  static const DigitsBy kBy = has_fast_bit_extract() ? DigitsBy::bit_extract : DigitsBy::shifts;
  return kBy;
}

// Gives loop(ByShifts) or loop(ByBitExtract). REQUIRES: as with_bit_extract().
template <class Loop>
auto with_digits(DigitsBy by, Loop loop) {
  return by == DigitsBy::bit_extract ? with_bit_extract(loop) : loop(ByShifts{});
}

inline constexpr std::uint64_t kMostSpread = (std::uint64_t{1} << 49) - 1;  // what spread() takes

// How many bytes of seven bits a number takes.
[[gnu::always_inline]] inline unsigned digit_bytes(std::uint64_t value) {
  return (static_cast<unsigned>(std::bit_width(value | 1)) + 6) / 7;
}
// The same where its highest bit is the sign.
[[gnu::always_inline]] inline unsigned signed_digit_bytes(std::int64_t value) {
  return digit_bytes(static_cast<std::uint64_t>(value ^ value >> 63) << 1);
}

// Two numbers, one behind the other, in a word: what follows from how many bytes each takes.
struct TwoNumbers {
  std::uint64_t more = 0;   // the high bits of all bytes behind which a number goes on
  std::uint32_t shift = 0;  // of the second number's digits, behind those of the first one
  std::uint32_t bytes = 0;  // of both
};
inline constexpr unsigned kMostOfTwo = 7;  // bytes of both: what spread() takes
// By 8 * bytes of the first number + bytes of the second one.
inline constexpr auto kTwoNumbers = [] {
  std::array<TwoNumbers, 64> all{};
  for (unsigned first = 1; first < 8; ++first) {
    for (unsigned second = 1; first + second <= kMostOfTwo; ++second) {
      TwoNumbers& two = all[8 * first + second];
      two.shift = 7 * first;
      two.bytes = first + second;
      for (unsigned i = 0; i + 1 < two.bytes; ++i)
        if (i + 1 != first) two.more |= std::uint64_t{0x80} << (8 * i);
    }
  }
  return all;
}();

}  // namespace polytrace::base
