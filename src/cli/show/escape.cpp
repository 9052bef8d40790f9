// SPDX-License-Identifier: Apache-2.0
#include "cli/show/escape.hpp"

#include <locale.h>
#include <wchar.h>

#include <algorithm>

#include "base/text/utf8.hpp"

namespace polytrace::cli {
namespace {

using base::Character;
using base::first_character;

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

std::size_t cells(std::string_view printable) {
  if (base::is_plain_ascii(printable)) return printable.size();
  std::size_t sum = 0;
  for (std::size_t i = 0; i < printable.size();) {
    const Character c = first_character(printable.substr(i));
    sum += c.bytes == 0 ? 1 : cells_of(c.code);
    i += std::max(1U, c.bytes);
  }
  return sum;
}

std::size_t bytes_within(std::string_view printable, std::size_t limit) {
  std::size_t used = 0, i = 0;
  while (i < printable.size()) {
    const Character c = first_character(printable.substr(i));
    used += c.bytes == 0 ? 1 : cells_of(c.code);
    if (used > limit) break;
    i += std::max(1U, c.bytes);
  }
  return i;
}

std::string clipped(std::string_view printable, std::size_t limit, std::string_view mark) {
  if (cells(printable) <= limit) return std::string(printable);
  const std::size_t kept = bytes_within(printable, limit - std::min<std::size_t>(limit, 1));
  return std::string(printable.substr(0, kept)).append(mark);
}

}  // namespace polytrace::cli
