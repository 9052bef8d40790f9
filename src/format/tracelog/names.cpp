// SPDX-License-Identifier: Apache-2.0
#include "format/tracelog/names.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace polytrace::format::tracelog {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr std::string_view kBetween = "\" \"";

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<std::uint8_t>(text[at]) : 0;
}

// Bytes of the character at the front, 0 when there is none. REQUIRES: not empty.
std::size_t character(std::string_view text) {
  const std::uint8_t first = byte_at(text, 0);
  if (first < 0x80) return 1;
  const std::size_t size = first < 0xc2   ? 0
                           : first < 0xe0 ? 2
                           : first < 0xf0 ? 3
                           : first < 0xf5 ? 4
                                          : 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte_at(text, i) & 0xc0) != 0x80) return 0;
  }
  const std::uint8_t second = byte_at(text, 1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool beyond = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return overlong || beyond ? 0 : size;
}

// How many bytes at the front are below 0x80, in steps of 8.
std::size_t plain(std::string_view text) {
  std::size_t at = 0;
  for (std::uint64_t word = 0; at + sizeof word <= text.size(); at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    if ((word & 0x8080808080808080U) != 0) break;
  }
  return at;
}

}  // namespace

bool unquote(std::string_view text, std::string_view& name) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return false;
  name = text.substr(1, text.size() - 2);
  return true;
}

bool unquote_three(std::string_view text, std::array<std::string_view, 3>& names) {
  std::string_view all;
  if (!unquote(text, all)) return false;
  const auto starts_signature = [all](std::size_t separator) {
    const std::size_t next = separator + kBetween.size();
    return next == all.size() || all[next] == '(';
  };
  const std::size_t last = all.rfind(kBetween);
  if (last == std::string_view::npos) return false;
  std::size_t third = last;
  while (third != std::string_view::npos && !starts_signature(third))
    third = third == 0 ? std::string_view::npos : all.rfind(kBetween, third - 1);
  if (third == std::string_view::npos) third = last;
  if (third < kBetween.size()) return false;
  const std::size_t second = all.rfind(kBetween, third - kBetween.size());
  if (second == std::string_view::npos) return false;
  const std::size_t returns = second + kBetween.size();
  names = {all.substr(0, second), all.substr(returns, third - returns),
           all.substr(third + kBetween.size())};
  return true;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    text.remove_prefix(plain(text));
    if (text.empty()) return true;
    const std::size_t size = character(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

std::string repaired(std::string_view text) {
  std::string whole;
  while (!text.empty()) {
    const std::size_t size = character(text);
    whole += size == 0 ? kReplacement : text.substr(0, size);
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return whole;
}

bool append_one_line(std::string& to, std::string_view text) {
  bool replaced = false;
  for (const char c : text) {
    const bool breaks = c == '\n' || c == '\r' || c == '\0';
    replaced = replaced || breaks;
    if (breaks) to += kReplacement;
    else to += c;
  }
  return replaced;
}

}  // namespace polytrace::format::tracelog
