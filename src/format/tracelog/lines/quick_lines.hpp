// SPDX-License-Identifier: Apache-2.0
// The quick way for the lines that logs are made of: `sam str` and `sam mem` spelled as they are
// written, without instruction pointers. What it takes, line.hpp and sample.hpp take with the same
// result; everything else it leaves to them. docs/formats/tracelog.md, sections 5 and 10.
#pragma once

#include "base/text/eight_digits.hpp"
#include "format/tracelog/lines/scan.hpp"

namespace polytrace::format::tracelog {

struct QuickLine {
  std::uint64_t thread = 0;  // the 8 digits as they stand, see thread_of()
  std::uint64_t timestamp = 0;
  std::uint64_t count = 0;
  std::uint64_t prefix = 0;
  std::uint64_t size = 0;
  std::size_t items = 0;  // of its list
};
struct QuickAllocation {
  base::Id type;
  std::uint64_t objects;
  std::uint64_t bytes;
};

inline constexpr std::size_t kMostQuickItems = 64;
// No quick line has more bytes, none fewer, nor has a frame or an allocation on it.
inline constexpr std::size_t kLongestQuick = 4096;
inline constexpr std::size_t kShortestQuick = 21;
inline constexpr std::size_t kShortestFrame = 4;
inline constexpr std::size_t kShortestAllocation = 8;
// How far behind the last byte of the text a scan may look. Zeros there end it.
inline constexpr std::size_t kQuickSlack = 16;

constexpr std::uint64_t text_word(const char (&text)[9]) {
  std::uint64_t word = 0;
  for (unsigned i = 0; i < 8; ++i)
    word |= std::uint64_t{static_cast<std::uint8_t>(text[i])} << (8 * i);
  return word;
}

// The id that 8 digits spell; false when they are none.
inline bool thread_of(std::uint64_t digits, base::Id& id) { return Scan::eight_digits(digits, id); }

// 1 to 3 digits: where they end; null when there are none or more.
inline const char* quick_dec(const char* at, std::uint64_t& value) {
  const unsigned first = static_cast<std::uint8_t>(at[0] - '0');
  const unsigned second = static_cast<std::uint8_t>(at[1] - '0');
  const unsigned third = static_cast<std::uint8_t>(at[2] - '0');
  if (first >= 10) return nullptr;
  value = first;
  if (second >= 10) return at + 1;
  value = value * 10 + second;
  if (third >= 10) return at + 2;
  value = value * 10 + third;
  return at + 3;
}

// Count, prefix and size where they are spelled as mostly: "1 23:25". REQUIRES: 8 bytes.
inline bool quick_counts(const char* at, QuickLine& line) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kBetween = 0x000000ff0000ff00U;
  constexpr std::uint64_t kDigit = 0x00ffff00ffff00ffU;
  const auto text = base::load_bytes<std::uint64_t>(at);
  const std::uint64_t digits = (text ^ 0x30 * kOnes) & kDigit;
  const std::uint64_t odd =
      (text & kBetween) ^ (std::uint64_t{' '} << 8 | std::uint64_t{':'} << 32);
  if ((odd | ((digits | (digits + 0x76 * kOnes)) & 0x80 * kOnes)) != 0) return false;
  const std::uint64_t pairs = digits * 10 + (digits >> 8);
  line.count = digits & 0xff;
  line.prefix = pairs >> 16 & 0xff;
  line.size = pairs >> 40 & 0xff;
  return true;
}

// 1 to 8 hexadecimal digits: where they end; null when there are none or more.
inline const char* quick_hex(const char* at, base::Id& value) {
  const char* const from = at;
  std::uint64_t sum = 0;
  for (std::uint8_t digit = kDigits[static_cast<std::uint8_t>(*at)]; digit != kNoDigit;
       digit = kDigits[static_cast<std::uint8_t>(*++at)])
    sum = sum << 4 | digit;
  value = sum;
  return static_cast<std::size_t>(at - from - 1) < 8 ? at : nullptr;
}

// Decimal digits, 12 at most: where they end; null when there are none or more.
inline const char* quick_long_dec(const char* at, std::uint64_t& value) {
  const char* const from = at;
  std::uint64_t sum = 0;
  for (auto digit = static_cast<std::uint8_t>(*at - '0'); digit < 10;
       digit = static_cast<std::uint8_t>(*++at - '0'))
    sum = sum * 10 + digit;
  value = sum;
  return static_cast<std::size_t>(at - from - 1) < 12 ? at : nullptr;
}

// The first 8 bytes of quick lines.
inline constexpr auto kQuickSample = text_word("sam str ");
inline constexpr auto kQuickAllocations = text_word("sam mem ");
constexpr std::uint32_t kBlankHex = 0x783020;  // " 0x", behind which a byte is cut off
inline bool is_blank_hex(const char* at) {
  return (base::load_bytes<std::uint32_t>(at) & 0xffffff) == kBlankHex;
}

// Thread and time of a quick line, whose first 8 bytes are as they should be: where they end.
// `digits`, 1 to 8, is a guess of how many the timestamp has, to be kept for the next line.
[[gnu::always_inline]] inline const char* parse_quick_head(const char* at, QuickLine& line,
                                                           unsigned& digits) {
  if (!is_blank_hex(at + 7)) return nullptr;
  line.thread = base::load_bytes<std::uint64_t>(at + 10);
  if (at[18] != ' ') return nullptr;
  at += 19;
  // Neighbours mostly have as many digits: guessing them, nothing waits for them to be counted.
  const auto ends = [&] { return at[digits] == ' ' || at[digits] == '\n'; };
  if (!ends() || !base::eight_digits(base::load_bytes<std::uint64_t>(at), digits, line.timestamp)) {
    for (digits = 1; digits < 8 && !ends();) ++digits;
    if (!ends() || !base::eight_digits(base::load_bytes<std::uint64_t>(at), digits, line.timestamp))
      return nullptr;
  }
  return at + digits;
}

// Each: where the line ends, behind its LF; null when it is none. `at` is where the head ends.
// REQUIRES: kQuickSlack zeros behind the text; room for as many items as may be there.

[[gnu::always_inline]] inline const char* parse_quick_sample(const char* at, QuickLine& line,
                                                             base::Id* frames) {
  if (*at++ != ' ') return nullptr;
  if (quick_counts(at, line)) {
    at += 7;
  } else {
    at = quick_dec(at, line.count);
    if (at == nullptr || *at != ' ') return nullptr;
    at = quick_dec(at + 1, line.prefix);
    if (at == nullptr || *at != ':') return nullptr;
    at = quick_dec(at + 1, line.size);
    if (at == nullptr) return nullptr;
  }
  line.items = 0;
  for (; *at != '\n'; ++line.items) {
    if (!is_blank_hex(at) || line.items == kMostQuickItems) return nullptr;
    at = quick_hex(at + 3, frames[line.items]);
    if (at == nullptr) return nullptr;
  }
  return at + 1;
}

inline const char* parse_quick_allocations(const char* at, QuickLine& line,
                                           QuickAllocation* allocations) {
  line.items = 0;
  for (; *at != '\n'; ++line.items) {
    if (!is_blank_hex(at) || line.items == kMostQuickItems) return nullptr;
    QuickAllocation& item = allocations[line.items];
    at = quick_hex(at + 3, item.type);
    if (at == nullptr || *at != ':') return nullptr;
    at = quick_long_dec(at + 1, item.objects);
    if (at == nullptr || *at != ':') return nullptr;
    at = quick_long_dec(at + 1, item.bytes);
    if (at == nullptr) return nullptr;
  }
  return at + 1;
}

}  // namespace polytrace::format::tracelog
