// SPDX-License-Identifier: Apache-2.0
#include "cli/show/escape.hpp"

#include <fmt/format.h>
#include <locale.h>
#include <wchar.h>

#include <algorithm>
#include <iterator>

#include "base/utf8.hpp"

namespace polytrace::cli::show {
namespace {

using base::Character;
using base::first_character;

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

std::string printable(std::string_view text) {
  if (is_plain_ascii(text)) return std::string(text);
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const Character c = first_character(text.substr(i));
    if (c.bytes == 0 || is_control(c.code)) {
      const unsigned bytes = std::max(1U, c.bytes);
      for (unsigned b = 0; b < bytes; ++b)
        fmt::format_to(std::back_inserter(out), "\\x{:02x}",
                       static_cast<unsigned char>(text[i + b]));
    } else if (turns_direction(c.code)) {
      fmt::format_to(std::back_inserter(out), "\\u{{{:x}}}", static_cast<std::uint32_t>(c.code));
    } else {
      out += text.substr(i, c.bytes);
    }
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
