// SPDX-License-Identifier: Apache-2.0
#include "cli/show/escape.hpp"

#include <fmt/format.h>
#include <locale.h>
#include <wchar.h>

#include <algorithm>
#include <iterator>

namespace polytrace::cli::show {
namespace {

constexpr unsigned char byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// Bytes that a sequence with this first byte has; 0 for bytes that start none.
constexpr unsigned sequence_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  if (first >= 0xf0 && first < 0xf5) return 4;
  return 0;
}

constexpr bool is_well_formed(char32_t code, unsigned bytes) {
  if (bytes == 3) return code >= 0x800 && (code < 0xd800 || code > 0xdfff);
  if (bytes == 4) return code >= 0x10000 && code <= 0x10ffff;
  return true;
}

constexpr bool is_control(char32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

constexpr bool turns_direction(char32_t code) {
  return code == 0x61c || (code >= 0x200e && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

bool is_plain_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

// Character widths are the C library's, in its own UTF-8 locale whatever the user's is.
unsigned cells_of(char32_t code) {
  static const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (utf8 == nullptr) return 1;
  const locale_t before = uselocale(utf8);
  const int width = wcwidth(static_cast<wchar_t>(code));
  uselocale(before);
  return width < 0 ? 1U : static_cast<unsigned>(width);
}

}  // namespace

Character first_character(std::string_view text) {
  if (text.empty()) return {};
  const unsigned char first = byte_at(text, 0);
  const unsigned length = sequence_length(first);
  if (length == 0 || text.size() < length) return {};
  if (length == 1) return {first, 1};
  char32_t code = first & (0x7fU >> length);
  for (unsigned i = 1; i < length; ++i) {
    const unsigned char next = byte_at(text, i);
    if ((next & 0xc0) != 0x80) return {};
    code = code << 6 | (next & 0x3fU);
  }
  return is_well_formed(code, length) ? Character{code, length} : Character{};
}

std::string printable(std::string_view text) {
  if (is_plain_ascii(text)) return std::string(text);
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const Character c = first_character(text.substr(i));
    if (c.bytes == 0 || is_control(c.code)) {
      const unsigned bytes = std::max(1U, c.bytes);
      for (unsigned b = 0; b < bytes; ++b)
        fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte_at(text, i + b));
    } else if (turns_direction(c.code)) {
      fmt::format_to(std::back_inserter(out), "\\u{{{:x}}}", static_cast<std::uint32_t>(c.code));
    } else {
      out += text.substr(i, c.bytes);
    }
    i += std::max(1U, c.bytes);
  }
  return out;
}

std::string repaired(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const Character c = first_character(text.substr(i));
    out += c.bytes == 0 ? "\xef\xbf\xbd" : text.substr(i, c.bytes);
    i += std::max(1U, c.bytes);
  }
  return out;
}

std::size_t cells(std::string_view printable) {
  if (is_plain_ascii(printable)) return printable.size();
  std::size_t sum = 0;
  for (std::size_t i = 0; i < printable.size();) {
    const Character c = first_character(printable.substr(i));
    sum += c.bytes == 0 ? 1 : cells_of(c.code);
    i += std::max(1U, c.bytes);
  }
  return sum;
}

std::string clipped(std::string_view printable, std::size_t limit, std::string_view mark) {
  if (cells(printable) <= limit) return std::string(printable);
  std::size_t used = 0, i = 0;
  while (i < printable.size()) {
    const Character c = first_character(printable.substr(i));
    const std::size_t wide = c.bytes == 0 ? 1 : cells_of(c.code);
    if (used + wide + 1 > limit) break;
    used += wide;
    i += std::max(1U, c.bytes);
  }
  return std::string(printable.substr(0, i)) + std::string(mark);
}

}  // namespace polytrace::cli::show
