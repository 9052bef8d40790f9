// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/xml/ruler.hpp"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/text/utf8.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace polytrace::format::tptp {
namespace {

constexpr std::size_t kFailed = static_cast<std::size_t>(-1);

// The length of the character at the front of a text, which may be cut off or none.
std::size_t character(const char* text, std::size_t size) {
  std::size_t length = 1;
  while (length < size && base::continues_character(text[length])) ++length;
  return length;
}

std::size_t count_newlines(base::Bytes bytes) {
  std::size_t count = 0;
  std::size_t at = 0;
#if defined(__SSE2__)
  for (; at + sizeof(__m128i) <= bytes.size(); at += sizeof(__m128i)) {
    const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + at));
    // Mostly none or one.
    int found = _mm_movemask_epi8(_mm_cmpeq_epi8(text, _mm_set1_epi8('\n')));
    for (; found != 0; found &= found - 1) ++count;
  }
#endif
  const auto rest = bytes.subspan(at);
  return count + static_cast<std::size_t>(std::ranges::count(rest, std::byte{'\n'}));
}

}  // namespace

std::size_t unit_of(std::string_view encoding) {
  return encoding.starts_with("utf-32") ? 4 : encoding.starts_with("utf-16") ? 2 : 1;
}

void Ruler::Close::operator()(void* converter) const { iconv_close(converter); }

Ruler::Ruler(const std::string& converted) : unit_(unit_of(converted)) {
  if (converted.empty()) return;
  void* const converter = iconv_open(converted.c_str(), "UTF-8");
  if (converter != reinterpret_cast<void*>(-1)) converter_.reset(converter);
}

std::size_t Ruler::measured(base::Bytes text, std::size_t at) {
  if (at < now_.at) now_ = at < settled_.at ? Measured{} : settled_;
  now_.bytes += length(text.subspan(now_.at, at - now_.at));
  now_.at = at;
  return now_.bytes;
}

std::size_t Ruler::length(base::Bytes text) {
  std::array<char, 16 * 1024> out;
  char* from = const_cast<char*>(reinterpret_cast<const char*>(text.data()));  // iconv's own type
  std::size_t left = text.size();
  std::size_t bytes = 0;
  iconv(converter_.get(), nullptr, nullptr, nullptr, nullptr);
  while (left > 0) {
    char* to = out.data();
    std::size_t room = out.size();
    const bool fine = iconv(converter_.get(), &from, &left, &to, &room) != kFailed;
    bytes += out.size() - room;
    if (fine || errno == E2BIG) continue;
    // What the encoding does not have stands for bytes that were no character.
    bytes += unit_;
    const std::size_t skipped = character(from, left);
    from += skipped;
    left -= skipped;
  }
  return bytes;
}

void LineColumn::pass(base::Bytes bytes) {
  const std::size_t newlines = count_newlines(bytes);
  if (newlines != 0) {
    line += static_cast<std::uint32_t>(newlines);
    column = 1;
    const auto last = std::find(bytes.rbegin(), bytes.rend(), std::byte{'\n'});
    bytes = bytes.last(static_cast<std::size_t>(last - bytes.rbegin()));
  }
  column += static_cast<std::uint32_t>(bytes.size());
}

}  // namespace polytrace::format::tptp
