// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/messages/charset.hpp"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "base/text/utf8.hpp"

namespace polytrace::format::tptp {
namespace {

using Byte = unsigned char;
using Verdict = NamedCharset::Verdict;

struct Name {
  std::string_view name;  // without '-' and '_', small
  Charset charset;
};
constexpr std::array kNames{
    Name{"utf8", Charset::utf8},
    Name{"usascii", Charset::ascii},
    Name{"ascii", Charset::ascii},
    Name{"iso88591", Charset::latin1},
    Name{"latin1", Charset::latin1},
    Name{"koi8r", Charset::koi8_r},
    Name{"windows1251", Charset::windows_1251},
    Name{"cp1251", Charset::windows_1251},
    Name{"windows1252", Charset::windows_1252},
    Name{"cp1252", Charset::windows_1252},
};

const char* iconv_name(Charset charset) {
  switch (charset) {
    case Charset::ascii: return "US-ASCII";
    case Charset::koi8_r: return "KOI8-R";
    case Charset::windows_1251: return "CP1251";
    case Charset::windows_1252: return "CP1252";
    default: return "ISO-8859-1";
  }
}

// The UTF-8 form of each byte; empty where the set has no character.
using Table = std::array<std::string, 256>;

Table make_table(Charset charset) {
  Table table;
  const iconv_t converter = iconv_open("UTF-8", iconv_name(charset));
  if (converter == reinterpret_cast<iconv_t>(-1)) return table;  // then every byte is replaced
  for (unsigned byte = 0; byte < table.size(); ++byte) {
    char in[1] = {static_cast<char>(byte)};
    char out[8];
    char* from = in;
    char* to = out;
    std::size_t left = sizeof in;
    std::size_t room = sizeof out;
    iconv(converter, nullptr, nullptr, nullptr, nullptr);
    if (iconv(converter, &from, &left, &to, &room) == 0) table[byte].assign(out, sizeof out - room);
  }
  iconv_close(converter);
  return table;
}

const Table& table_of(Charset charset) {
  static const std::array kTables{make_table(Charset::ascii), make_table(Charset::latin1),
                                  make_table(Charset::koi8_r), make_table(Charset::windows_1251),
                                  make_table(Charset::windows_1252)};
  return kTables[static_cast<std::size_t>(charset) - 1];
}

bool append_from_table(std::string& out, std::string_view text, const Table& table) {
  bool good = true;
  for (const char c : text) {
    const std::string& character = table[static_cast<Byte>(c)];
    good = good && !character.empty();
    out += character.empty() ? base::kReplacement : std::string_view(character);
  }
  return good;
}

// Two surrogates, each coded as three bytes, give one character; 0 where there are none.
std::uint32_t surrogate_pair(std::string_view text) {
  if (text.size() < 6) return 0;
  const auto byte = [text](std::size_t i) { return static_cast<std::uint32_t>(Byte(text[i])); };
  const bool high = byte(0) == 0xed && (byte(1) & 0xf0) == 0xa0 && (byte(2) & 0xc0) == 0x80;
  const bool low = byte(3) == 0xed && (byte(4) & 0xf0) == 0xb0 && (byte(5) & 0xc0) == 0x80;
  if (!high || !low) return 0;
  return 0x10000 +
         ((byte(1) & 15) << 16 | (byte(2) & 63) << 10 | (byte(4) & 15) << 6 | (byte(5) & 63));
}

void append_four_bytes(std::string& out, std::uint32_t character) {
  out += static_cast<char>(0xf0 | character >> 18);
  out += static_cast<char>(0x80 | (character >> 12 & 63));
  out += static_cast<char>(0x80 | (character >> 6 & 63));
  out += static_cast<char>(0x80 | (character & 63));
}

bool append_repaired(std::string& out, std::string_view text) {
  bool good = true;
  while (!text.empty()) {
    const base::Utf8Part part = base::first_part(text);
    if (part.well_formed) {
      out += text.substr(0, part.bytes);
      text.remove_prefix(part.bytes);
    } else if (text.starts_with("\xc0\x80")) {
      out += base::kReplacement;
      text.remove_prefix(2);
    } else if (const std::uint32_t character = surrogate_pair(text); character != 0) {
      append_four_bytes(out, character);
      text.remove_prefix(6);
    } else {
      out += base::kReplacement;
      text.remove_prefix(part.bytes);
      good = false;
    }
  }
  return good;
}

}  // namespace

NamedCharset find_charset(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c == '-' || c == '_') continue;
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  for (const Name& known : kNames) {
    if (known.name == plain) return {Verdict::known, known.charset};
  }
  for (const std::string_view wide : {"utf16", "utf32", "ucs2", "ucs4", "unicode", "iso10646"}) {
    if (plain.starts_with(wide)) return {Verdict::illegal, Charset::utf8};
  }
  return {Verdict::unknown, Charset::latin1};
}

bool is_ascii(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  std::uint64_t seen = 0;
  std::size_t at = 0;
  for (; text.size() - at >= sizeof seen; at += sizeof seen) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof word);
    seen |= word;
  }
  for (; at < text.size(); ++at) seen |= static_cast<Byte>(text[at]);
  return (seen & kHighBits) == 0;
}

bool append_utf8(std::string& out, std::string_view text, Charset charset) {
  if (charset == Charset::utf8) return append_repaired(out, text);
  return append_from_table(out, text, table_of(charset));
}

}  // namespace polytrace::format::tptp
