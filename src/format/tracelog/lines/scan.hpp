// SPDX-License-Identifier: Apache-2.0
// The tokenizer: walks over one line, item by item. Nothing is copied.
// REQUIRES of the line: its last byte is no blank, and behind it stands a byte that belongs to no
// item: a line end or a blank.
// Every function takes one item and leaves the place behind it, or says false; after that the place
// means nothing. docs/formats/tracelog.md, section 3.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/types.hpp"

namespace polytrace::format::tracelog {

inline constexpr std::uint8_t kNoDigit = 0xff;
inline constexpr std::array<std::uint8_t, 256> kDigits = [] {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (unsigned i = 0; i < 10; ++i) digits['0' + i] = static_cast<std::uint8_t>(i);
  for (unsigned i = 0; i < 6; ++i)
    digits['a' + i] = digits['A' + i] = static_cast<std::uint8_t>(10 + i);
  return digits;
}();

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

class Scan {
 public:
  explicit Scan(std::string_view line) : at_(line.data()), end_(at_ + line.size()) {}

  const char* at() const { return at_; }
  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  void skip(std::size_t bytes) { at_ += bytes; }

  // Blanks, one at least.
  bool gap() {
    if (at_ == end_ || !is_blank(*at_)) return false;
    while (is_blank(*++at_)) {
    }
    return true;
  }
  // What follows is the end of the line, or blanks up to it.
  bool done() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
    return at_ == end_;
  }
  bool take(char c) {
    if (*at_ != c) return false;
    ++at_;
    return true;
  }

  // 1 to 20 digits, at most 2^64 - 1.
  [[gnu::always_inline]] bool dec(std::uint64_t& value) {
    const char* const from = at_;
    std::uint64_t sum = 0;
    for (std::uint8_t next = decimal(*at_); next < 10; next = decimal(*++at_))
      sum = sum * 10 + next;
    value = sum;
    const auto digits = at_ - from;
    return digits > 0 && (digits < 20 || fits(from, digits));
  }
  // "0x" and 1 to 16 digits.
  bool hex(std::uint64_t& value) {
    if (at_[0] != '0' || at_[1] != 'x') return false;
    at_ += 2;
    const std::size_t digits = bare_hex(value);
    return digits > 0 && digits <= 16;
  }
  // The same, quickest where there are 8 digits or 16.
  bool wide_hex(std::uint64_t& value) {
    if (at_[0] != '0' || at_[1] != 'x') return false;
    at_ += 2;
    const char* const from = at_;
    std::uint64_t sum = 0;
    std::uint64_t eight = 0;
    for (; end_ - at_ >= 8 && eight_digits(at_, eight); at_ += 8) sum = sum << 32 | eight;
    for (std::uint8_t next = digit(*at_); next != kNoDigit; next = digit(*++at_))
      sum = sum << 4 | next;
    value = sum;
    return at_ != from && at_ - from <= 16;
  }
  bool wide_iid(base::Id& id) {
    if (*at_ == '?') return ++at_, id = base::kNoId, true;
    return wide_hex(id);
  }
  // hex, or "?" for an id that is not told.
  bool iid(base::Id& id) {
    if (*at_ == '?') return ++at_, id = base::kNoId, true;
    return hex(id);
  }
  // hex, "?" (0), or exactly 8 or 16 digits.
  bool ip(std::uint64_t& value) {
    if (*at_ == '?') return ++at_, value = 0, true;
    if (at_[0] == '0' && at_[1] == 'x') return hex(value);
    const std::size_t digits = bare_hex(value);
    return digits == 8 || digits == 16;
  }

  // 8 hexadecimal digits at once; false when one is none.
  static bool eight_digits(const char* from, std::uint64_t& value) {
    std::uint64_t text;
    std::memcpy(&text, from, sizeof text);
    return eight_digits(text, value);
  }
  static bool eight_digits(std::uint64_t text, std::uint64_t& value) {
    constexpr std::uint64_t kOnes = 0x0101010101010101U;
    const std::uint64_t letters = text >> 6 & kOnes;
    const std::uint64_t digits = (text & 0x0f * kOnes) + letters * 9;
    const std::uint64_t above_nine = (digits + 6 * kOnes) >> 4 & kOnes;
    const std::uint64_t spelled = digits + 0x30 * kOnes + above_nine * 0x27;
    std::uint64_t joined = (digits << 4 | digits >> 8) & 0x00ff00ff00ff00ffU;
    joined = (joined | joined >> 8) & 0x0000ffff0000ffffU;
    joined = (joined | joined >> 16) & 0xffffffffU;
    value = __builtin_bswap32(static_cast<std::uint32_t>(joined));
    return ((digits & 0xf0 * kOnes) | (spelled ^ (text | letters << 5))) == 0;
  }

 private:
  static std::uint8_t digit(char c) { return kDigits[static_cast<unsigned char>(c)]; }
  static std::uint8_t decimal(char c) { return static_cast<std::uint8_t>(c - '0'); }
  static bool fits(const char* from, std::ptrdiff_t digits) {
    if (digits > 20) return false;
    return std::string_view(from, 20) <= std::string_view("18446744073709551615");
  }
  std::size_t bare_hex(std::uint64_t& value) {
    const char* const from = at_;
    std::uint64_t sum = 0;
    for (std::uint8_t next = digit(*at_); next != kNoDigit; next = digit(*++at_))
      sum = sum << 4 | next;
    value = sum;
    return static_cast<std::size_t>(at_ - from);
  }

  const char* at_;
  const char* end_;
};

}  // namespace polytrace::format::tracelog
