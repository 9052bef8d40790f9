// SPDX-License-Identifier: Apache-2.0
#include "base/text/utf8.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

namespace polytrace::base {
namespace {

constexpr unsigned char byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// A first byte decides how many bytes there are and how far the second may go; that rules out
// overlong forms, surrogates and what is above U+10FFFF. No bytes: it begins nothing.
struct Lead {
  unsigned bytes;
  unsigned char low;
  unsigned char high;
};
constexpr Lead lead_of(unsigned char first) {
  if (first < 0x80) return {1, 0, 0};
  if (first >= 0xc2 && first <= 0xdf) return {2, 0x80, 0xbf};
  if (first == 0xe0) return {3, 0xa0, 0xbf};
  if (first == 0xed) return {3, 0x80, 0x9f};
  if (first >= 0xe1 && first <= 0xef) return {3, 0x80, 0xbf};
  if (first == 0xf0) return {4, 0x90, 0xbf};
  if (first >= 0xf1 && first <= 0xf3) return {4, 0x80, 0xbf};
  if (first == 0xf4) return {4, 0x80, 0x8f};
  return {0, 0, 0};
}

}  // namespace

Utf8Part first_part(std::string_view text) {
  const Lead lead = lead_of(byte_at(text, 0));
  if (lead.bytes == 0) return {1, false};
  for (unsigned i = 1; i < lead.bytes; ++i) {
    if (i >= text.size()) return {i, false};
    const unsigned char next = byte_at(text, i);
    const bool fits = i == 1 ? next >= lead.low && next <= lead.high : (next & 0xc0) == 0x80;
    if (!fits) return {i, false};
  }
  return {lead.bytes, true};
}

Character first_character(std::string_view text) {
  if (text.empty()) return {};
  const auto [bytes, well_formed] = first_part(text);
  if (!well_formed) return {};
  const unsigned char first = byte_at(text, 0);
  if (bytes == 1) return {first, 1};
  char32_t code = first & (0x7fU >> bytes);
  for (unsigned i = 1; i < bytes; ++i) code = code << 6 | (byte_at(text, i) & 0x3fU);
  return {code, bytes};
}

std::string repaired(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const Character c = first_character(text.substr(i));
    out += c.bytes == 0 ? kReplacement : text.substr(i, c.bytes);
    i += std::max(1U, c.bytes);
  }
  return out;
}

std::string short_name(std::string name, std::size_t most) {
  if (name.size() <= most) return name;
  const std::string mark = fmt::format("...#{:016x}...", XXH3_64bits(name.data(), name.size()));
  // At most three bytes are to be skipped, also in what is no text.
  std::size_t head = (most - mark.size()) / 4;
  for (int i = 0; i < 3 && continues_character(name[head]); ++i) --head;
  std::size_t tail = name.size() - (most - mark.size() - head);
  for (int i = 0; i < 3 && continues_character(name[tail]); ++i) ++tail;
  return name.substr(0, head) + mark + name.substr(tail);
}

}  // namespace polytrace::base
