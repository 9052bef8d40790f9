// SPDX-License-Identifier: Apache-2.0
#include "format/tracelog/lines/names.hpp"

#include <cstdint>
#include <cstring>

#include "base/text/utf8.hpp"

namespace polytrace::format::tracelog {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr std::string_view kBetween = "\" \"";

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
    const std::size_t size = base::first_character(text).bytes;
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
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
