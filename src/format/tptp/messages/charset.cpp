// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/messages/charset.hpp"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>

#include "base/text/utf8.hpp"

namespace polytrace::format::tptp {
namespace {

using Byte = unsigned char;
using Verdict = NamedCharset::Verdict;

// As iconv calls them, in the order of Charset. Every one has the bytes below 0x80 of ASCII:
// not so iconv's SHIFT_JIS, which CP932 extends.
constexpr std::array kSets{
    "UTF-8",       "US-ASCII",    "ISO-8859-1",  "ISO-8859-2",  "ISO-8859-3",  "ISO-8859-4",
    "ISO-8859-5",  "ISO-8859-6",  "ISO-8859-7",  "ISO-8859-8",  "ISO-8859-9",  "ISO-8859-10",
    "ISO-8859-11", "ISO-8859-13", "ISO-8859-14", "ISO-8859-15", "ISO-8859-16", "CP1250",
    "CP1251",      "CP1252",      "CP1253",      "CP1254",      "CP1255",      "CP1256",
    "CP1257",      "CP1258",      "KOI8-R",      "KOI8-U",      "KOI8-RU",     "KOI8-T",
    "GB18030",     "GBK",         "GB2312",      "BIG5",        "EUC-JP",      "CP932",
};

// Other names, without '-' and '_', small: what they begin with is called otherwise above.
struct Alias {
  std::string_view begin;
  std::string_view called;
};
constexpr std::array kAliases{
    Alias{"windows31j", "cp932"}, Alias{"windows", "cp"},     Alias{"latin1", "iso88591"},
    Alias{"ascii", "usascii"},    Alias{"shiftjis", "cp932"}, Alias{"sjis", "cp932"},
};

std::string plain(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c == '-' || c == '_') continue;
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return plain;
}

// Those of one thread, opened when they are first asked for.
class Converters {
 public:
  Converters() { all_.fill(kNone); }
  ~Converters() {
    for (const iconv_t one : all_)
      if (one != kNone) iconv_close(one);
  }
  Converters(const Converters&) = delete;
  Converters& operator=(const Converters&) = delete;

  // Null where iconv has no such set.
  iconv_t find(Charset charset) {
    iconv_t& one = all_[static_cast<std::size_t>(charset)];
    if (one == kNone) one = iconv_open("UTF-8", kSets[static_cast<std::size_t>(charset)]);
    if (one == kNone) return nullptr;
    iconv(one, nullptr, nullptr, nullptr, nullptr);
    return one;
  }

 private:
  static inline const iconv_t kNone = reinterpret_cast<iconv_t>(-1);
  std::array<iconv_t, kSets.size()> all_;
};

// What the converter has kept in case that a mark for it follows.
void append_kept(std::string& out, iconv_t converter) {
  std::array<char, 16> piece;
  char* to = piece.data();
  std::size_t room = piece.size();
  iconv(converter, nullptr, nullptr, &to, &room);
  out.append(piece.data(), to);
}

bool append_converted(std::string& out, std::string_view text, Charset charset) {
  // Only a pointer is thread-local: libpolytrace.so, loaded late, gets 1.6 KB of such room in all.
  thread_local const auto converters = std::make_unique<Converters>();
  const iconv_t converter = converters->find(charset);
  bool good = true;
  std::array<char, 512> piece;
  char* from = const_cast<char*>(text.data());  // which iconv does not change
  std::size_t left = text.size();
  while (left != 0) {
    char* to = piece.data();
    std::size_t room = piece.size();
    const std::size_t before = left;
    if (converter != nullptr) iconv(converter, &from, &left, &to, &room);
    out.append(piece.data(), to);
    if (left != before) continue;  // what is no character stands at the front now
    if (converter != nullptr) append_kept(out, converter);
    out += base::kReplacement;
    ++from, --left;
    good = false;
  }
  if (converter != nullptr) append_kept(out, converter);
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
  std::string wanted = plain(name);
  for (const Alias& alias : kAliases) {
    if (!wanted.starts_with(alias.begin)) continue;
    wanted.replace(0, alias.begin.size(), alias.called);
    break;
  }
  for (std::size_t i = 0; i < kSets.size(); ++i) {
    if (plain(kSets[i]) == wanted) return {Verdict::known, static_cast<Charset>(i)};
  }
  for (const std::string_view wide : {"utf16", "utf32", "ucs2", "ucs4", "unicode", "iso10646"}) {
    if (wanted.starts_with(wide)) return {Verdict::illegal, Charset::utf8};
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
  return append_converted(out, text, charset);
}

}  // namespace polytrace::format::tptp
