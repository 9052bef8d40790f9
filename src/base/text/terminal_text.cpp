// SPDX-License-Identifier: Apache-2.0
#include "base/text/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/text/utf8.hpp"

namespace polytrace::base {
namespace {

constexpr std::array<std::string_view, kStyles> kStylesOn{kStyleOff,  "\x1b[1m",    "\x1b[2m",
                                                          "\x1b[33m", "\x1b[1;31m", "\x1b[32m"};

// The first character of `text`, or what stands for it. Gives its bytes.
std::size_t append_first(std::string& out, std::string_view text) {
  const Character c = first_character(text);
  const std::size_t bytes = std::max(1U, c.bytes);
  if (c.bytes != 0 && !is_obeyed(c.code)) {
    out += text.substr(0, bytes);
  } else if (c.code >= 0xa0) {
    fmt::format_to(std::back_inserter(out), "\\u{{{:x}}}", static_cast<std::uint32_t>(c.code));
  } else {
    for (const char byte : text.substr(0, bytes))
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(byte));
  }
  return bytes;
}

// Bytes of the style that `text` begins with; 0: it begins with none.
std::size_t style_in_front(std::string_view text) {
  for (const std::string_view style : kStylesOn)
    if (text.starts_with(style)) return style.size();
  return 0;
}

// Whether `text` is the begin of a character, or of a style, that may still end well.
bool is_begun(std::string_view text) {
  if (text[0] == '\x1b')
    return std::ranges::any_of(kStylesOn, [&](auto style) {
      return text.size() < style.size() && style.starts_with(text);
    });
  const Utf8Part part = first_part(text);
  return !part.well_formed && part.bytes == text.size() && text.size() < 4 &&
         static_cast<unsigned char>(text[0]) >= 0xc2;
}

}  // namespace

bool is_plain_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

std::string printable(std::string_view text) {
  if (is_plain_ascii(text)) return std::string(text);
  std::string out;
  while (!text.empty()) text.remove_prefix(append_first(out, text));
  return out;
}

std::string TerminalDoor::pass(std::string_view bytes) {
  const std::string all = std::exchange(begun_, {}) + std::string(bytes);
  std::string out;
  for (std::string_view rest = all; !rest.empty();) {
    const bool kept = rest[0] == '\n' || rest[0] == '\t';
    const std::size_t style = styles_ == Styles::kept ? style_in_front(rest) : 0;
    if (!kept && style == 0 && is_begun(rest)) {
      begun_ = rest;
      break;
    }
    const std::size_t whole = kept ? 1 : style;
    out += rest.substr(0, whole);
    rest.remove_prefix(whole != 0 ? whole : append_first(out, rest));
  }
  return out;
}

std::string TerminalDoor::finish() { return printable(std::exchange(begun_, {})); }

std::string_view style_on(std::size_t number) { return kStylesOn[number]; }

}  // namespace polytrace::base
