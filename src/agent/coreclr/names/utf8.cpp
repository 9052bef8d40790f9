// SPDX-License-Identifier: Apache-2.0
#include "agent/coreclr/names/utf8.hpp"

#include <cstdint>

namespace polytrace::agent::coreclr {
namespace {

constexpr char32_t kUnknown = 0xfffd;

bool is_high(char16_t unit) { return (unit & 0xfc00) == 0xd800; }
bool is_low(char16_t unit) { return (unit & 0xfc00) == 0xdc00; }

void add_tail(std::string& out, char32_t letter, unsigned shift) {
  out += static_cast<char>(0x80 | (letter >> shift & 0x3f));
}

void add(std::string& out, char32_t letter) {
  if (letter < 0x80) {
    out += static_cast<char>(letter);
  } else if (letter < 0x800) {
    out += static_cast<char>(0xc0 | letter >> 6);
    add_tail(out, letter, 0);
  } else if (letter < 0x10000) {
    out += static_cast<char>(0xe0 | letter >> 12);
    add_tail(out, letter, 6);
    add_tail(out, letter, 0);
  } else {
    out += static_cast<char>(0xf0 | letter >> 18);
    add_tail(out, letter, 12);
    add_tail(out, letter, 6);
    add_tail(out, letter, 0);
  }
}

}  // namespace

std::string utf8(std::u16string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char16_t unit = text[i];
    if (is_high(unit) && i + 1 < text.size() && is_low(text[i + 1])) {
      const char32_t low = text[++i];
      add(out, 0x10000 + ((static_cast<char32_t>(unit) & 0x3ff) << 10) + (low & 0x3ff));
    } else {
      add(out, is_high(unit) || is_low(unit) ? kUnknown : unit);
    }
  }
  return out;
}

}  // namespace polytrace::agent::coreclr
