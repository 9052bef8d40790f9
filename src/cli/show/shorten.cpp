// SPDX-License-Identifier: Apache-2.0
#include "cli/show/shorten.hpp"

#include <algorithm>

#include "base/text/utf8.hpp"
#include "cli/show/escape.hpp"

namespace polytrace::cli {
namespace {

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
