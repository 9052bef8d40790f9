// SPDX-License-Identifier: Apache-2.0
#include "cli/show/text_room.hpp"

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

// "Name (int,bool)" as "Name (...)"; itself where it has no arguments.
std::string without_arguments(std::string_view name, std::string_view mark) {
  if (!name.ends_with(')')) return std::string(name);
  const std::size_t open = name.find('(', 1);  // "(wrapper ...)" begins with one
  if (open == name.npos || open + 2 >= name.size()) return std::string(name);
  return std::string(name.substr(0, open + 1)).append(mark) + ')';
}

// The longest end of at most `limit` cells.
std::string_view end_of(std::string_view text, std::size_t limit) {
  std::size_t begin = text.size();
  while (begin > 0) {
    std::size_t before = begin - 1;
    while (before > 0 && base::continues_character(text[before])) --before;
    if (cells(text.substr(before)) > limit) break;
    begin = before;
  }
  return text.substr(begin);
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

std::string shortened(std::string_view name, std::size_t limit, std::string_view mark) {
  if (cells(name) <= limit) return std::string(name);
  const std::size_t indent = std::min(name.find_first_not_of(' '), name.size());
  if (indent * 2 > limit) return shortened(name.substr(indent - limit / 2), limit, mark);
  const std::string plain = without_arguments(name.substr(indent), mark);
  std::string out(indent, ' ');
  if (indent + cells(plain) <= limit) return out + plain;
  out += mark;
  return out.append(end_of(plain, limit - indent - std::min<std::size_t>(limit - indent, 1)));
}

std::vector<std::string> wrapped(std::string_view sentence, std::size_t width) {
  std::vector<std::string> lines;
  while (cells(sentence) > width) {
    const std::size_t fitting = bytes_within(sentence, width);
    std::size_t end = sentence.rfind(' ', fitting);
    if (end == sentence.npos || end == 0) end = std::max<std::size_t>(fitting, 1);
    lines.emplace_back(sentence.substr(0, end));
    sentence.remove_prefix(end);
    sentence.remove_prefix(std::min(sentence.find_first_not_of(' '), sentence.size()));
  }
  if (!sentence.empty() || lines.empty()) lines.emplace_back(sentence);
  return lines;
}

void append_paragraph(std::string& out, std::string_view sentence, const Terminal& terminal) {
  constexpr std::size_t kIndent = 2;
  const std::size_t width =
      terminal.width == 0 ? sentence.size() : std::max<std::size_t>(terminal.width, 12) - kIndent;
  for (const std::string& line : wrapped(sentence, std::max<std::size_t>(width, 1)))
    out += std::string(kIndent, ' ') + line + '\n';
}

}  // namespace polytrace::cli
