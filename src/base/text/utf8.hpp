// SPDX-License-Identifier: Apache-2.0
// Text from a trace may hold anything; these tell what of it is UTF-8. Pure functions; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace polytrace::base {

inline constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// What stands first in `text`: a well-formed character, or the bytes that Unicode's practice
// replaces by one U+FFFD (the longest beginning of a character, or one byte). REQUIRES: `text` not
// empty.
struct Utf8Part {
  unsigned bytes = 0;
  bool well_formed = false;
};
Utf8Part first_part(std::string_view text);

// The first character of `text`; bytes = 0 when no well-formed UTF-8 starts there.
struct Character {
  char32_t code = 0;
  unsigned bytes = 0;
};
Character first_character(std::string_view text);

// Whether the byte is one of a character that began before it; of text that may be none.
constexpr bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

// For formats that are UTF-8 by definition: other bytes become U+FFFD.
std::string repaired(std::string_view text);

// For readers that take names of `most` bytes: a longer one is its beginning and its end with
// "...#<hash>..." between them. Different names stay different, the end is where methods have what
// tells them apart, and no character is cut in two. REQUIRES: most >= 64.
std::string short_name(std::string name, std::size_t most);

}  // namespace polytrace::base
