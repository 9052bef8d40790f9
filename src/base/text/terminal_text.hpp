// SPDX-License-Identifier: Apache-2.0
// Text from a trace may hold anything: what a terminal would obey, and what turns the direction of
// writing, is made visible here. All that goes to a terminal passes by printable(), text by text,
// or at last by a TerminalDoor, which every output that is a terminal has.
#pragma once

#include <string>
#include <string_view>

namespace polytrace::base {

// Control characters, and those that change the direction of writing.
constexpr bool is_obeyed(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
         (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

// Whether there is nothing to be asked: each byte is a character that shows, in one cell.
bool is_plain_ascii(std::string_view text);

// One line: control characters and bytes that are not UTF-8 become \x1b, characters that change the
// direction of writing \u{202e}. Everything else stays. Pure; thread-safe.
std::string printable(std::string_view text);

// Likewise, for a stream of bytes that comes in pieces, maybe inside of a character: ends of lines
// and tabs stay, and the styles of paint() where they are wanted. One thread at a time.
class TerminalDoor {
 public:
  enum class Styles { kept, shown };
  explicit TerminalDoor(Styles styles = Styles::shown) : styles_(styles) {}

  // What of it may go to the terminal. The begin of a character waits for its end.
  std::string pass(std::string_view bytes);
  // The rest, at the end.
  std::string finish();

 private:
  Styles styles_;
  std::string begun_;
};

// A style as a terminal takes it: those that a TerminalDoor keeps. `number` is below kStyles.
inline constexpr std::size_t kStyles = 6;
std::string_view style_on(std::size_t number);
inline constexpr std::string_view kStyleOff = "\x1b[0m";

}  // namespace polytrace::base
