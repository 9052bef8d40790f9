// SPDX-License-Identifier: Apache-2.0
#include "event/quoted.hpp"

#include <charconv>

namespace polytrace::event {
namespace {

using Byte = unsigned char;

// The first byte of a sequence decides its length and how far the second byte may go; that rules
// out overlong forms, surrogates and values above U+10FFFF, and here also the C1 controls.
struct Lead {
  std::size_t length;
  Byte low;
  Byte high;
};
constexpr Lead lead_of(Byte first) {
  if (first == 0xc2) return {2, 0xa0, 0xbf};
  if (first >= 0xc3 && first <= 0xdf) return {2, 0x80, 0xbf};
  if (first == 0xe0) return {3, 0xa0, 0xbf};
  if (first == 0xed) return {3, 0x80, 0x9f};
  if (first >= 0xe1 && first <= 0xef) return {3, 0x80, 0xbf};
  if (first == 0xf0) return {4, 0x90, 0xbf};
  if (first >= 0xf1 && first <= 0xf3) return {4, 0x80, 0xbf};
  if (first == 0xf4) return {4, 0x80, 0x8f};
  return {0, 0, 0};
}

// Bytes of the printable character at the front of `text`, 0 when its first byte needs an escape.
std::size_t printable(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<Byte>(text[i]); };
  if (byte(0) < 0x80) return byte(0) >= 0x20 && byte(0) != 0x7f ? 1 : 0;
  const Lead lead = lead_of(byte(0));
  if (lead.length == 0 || text.size() < lead.length) return 0;
  if (byte(1) < lead.low || byte(1) > lead.high) return 0;
  for (std::size_t i = 2; i < lead.length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return lead.length;
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
