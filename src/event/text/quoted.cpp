// SPDX-License-Identifier: Apache-2.0
#include "event/text/quoted.hpp"

#include <charconv>

#include "base/text/utf8.hpp"

namespace polytrace::event {
namespace {

using Byte = unsigned char;

// Bytes of the printable character at the front of `text`, 0 when its first byte needs an escape:
// control characters do.
std::size_t printable(std::string_view text) {
  const base::Character first = base::first_character(text);
  const bool control = first.code < 0x20 || (first.code >= 0x7f && first.code < 0xa0);
  return control ? 0 : first.bytes;
}

void append_escaped(std::string& out, char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  out += "\\x";
  out += kDigits[static_cast<Byte>(c) >> 4];
  out += kDigits[static_cast<Byte>(c) & 15];
}

bool take_hex_byte(std::string_view& from, std::string& into) {
  if (from.size() < 4) return false;
  unsigned value = 0;
  const auto [stop, fault] = std::from_chars(from.data() + 2, from.data() + 4, value, 16);
  if (fault != std::errc{} || stop != from.data() + 4) return false;
  into += static_cast<char>(value);
  from.remove_prefix(4);
  return true;
}

bool take_escape(std::string_view& from, std::string& into) {
  if (from.size() < 2) return false;
  switch (from[1]) {
    case '"': into += '"'; break;
    case '\\': into += '\\'; break;
    case 'n': into += '\n'; break;
    case 't': into += '\t'; break;
    case 'x': return take_hex_byte(from, into);
    default: return false;
  }
  from.remove_prefix(2);
  return true;
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const bool special = text[0] == '"' || text[0] == '\\';
    const std::size_t length = special ? 0 : printable(text);
    if (length == 0) append_escaped(out, text[0]);
    out += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

std::optional<std::string> take_quoted(std::string_view& from) {
  if (!from.starts_with('"')) return std::nullopt;
  from.remove_prefix(1);
  std::string text;
  while (!from.empty() && from[0] != '"') {
    if (from[0] == '\\') {
      if (!take_escape(from, text)) return std::nullopt;
      continue;
    }
    text += from[0];
    from.remove_prefix(1);
  }
  if (from.empty()) return std::nullopt;
  from.remove_prefix(1);
  return text;
}

}  // namespace polytrace::event
