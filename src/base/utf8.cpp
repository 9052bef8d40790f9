// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.hpp"

#include <algorithm>

namespace polytrace::base {
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

std::string repaired(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const Character c = first_character(text.substr(i));
    out += c.bytes == 0 ? "\xef\xbf\xbd" : text.substr(i, c.bytes);
    i += std::max(1U, c.bytes);
  }
  return out;
}

}  // namespace polytrace::base
