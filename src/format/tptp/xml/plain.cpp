// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/xml/plain.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace polytrace::format::tptp {
namespace {

constexpr auto kInName = [] {
  std::array<bool, 256> in{};
  for (unsigned c = 0; c < 128; ++c)
    in[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
            c == '_' || c == '-' || c == '.';
  return in;
}();

bool begins(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

#if defined(__SSE2__)
// Whether these 16 bytes are at most so far above `first`, as numbers without a sign.
__m128i is_among(__m128i bytes, char first, char more) {
  const __m128i above = _mm_sub_epi8(bytes, _mm_set1_epi8(first));
  return _mm_cmpeq_epi8(_mm_min_epu8(above, _mm_set1_epi8(more)), above);
}

// kInName of 16 bytes, a bit for each.
std::uint32_t in_name(const char* at) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  const __m128i small = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
  const __m128i letters_digits = _mm_or_si128(is_among(small, 'a', 25), is_among(bytes, '0', 9));
  const __m128i signs = _mm_or_si128(is_among(bytes, '-', 1),  // and the point
                                     _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_')));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_or_si128(letters_digits, signs)));
}
#endif

std::size_t end_of_name(std::string_view text, std::size_t at) {
  if (at >= text.size() || !begins(text[at])) return at;
#if defined(__SSE2__)
  for (; at + sizeof(__m128i) <= text.size(); at += sizeof(__m128i)) {
    const std::uint32_t others = ~in_name(text.data() + at) & 0xffff;
    if (others != 0) return at + static_cast<std::size_t>(std::countr_zero(others));
  }
#endif
  while (at < text.size() && kInName[static_cast<unsigned char>(text[at])]) ++at;
  return at;
}

// Ends a value, or is nothing that may stand in a plain one.
bool is_mark(char c) {
  return static_cast<signed char>(c) < ' ' || c == '"' || c == '&' || c == '<';
}

#if defined(__SSE2__)
// is_mark() of 16 bytes, a bit for each.
std::uint32_t marks(const char* at) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  // Bytes above 127 are negative: they are below the blank, as control characters are.
  const __m128i found = _mm_or_si128(_mm_or_si128(_mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')),
                                                  _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'))),
                                     _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('&')),
                                                  _mm_cmpeq_epi8(bytes, _mm_set1_epi8('<'))));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(found));
}
#endif

std::size_t next_mark(std::string_view text, std::size_t at) {
#if defined(__SSE2__)
  for (; at + sizeof(__m128i) <= text.size(); at += sizeof(__m128i)) {
    const std::uint32_t found = marks(text.data() + at);
    if (found != 0) return at + static_cast<std::size_t>(std::countr_zero(found));
  }
#endif
  while (at < text.size() && !is_mark(text[at])) ++at;
  return at;
}

}  // namespace

// Names are compared only where their first and last letters and lengths may be the same.
bool PlainElement::has_twice(std::string_view name) {
  const auto shape = static_cast<unsigned char>(name.front()) * 7U +
                     static_cast<unsigned char>(name.back()) * 13U + name.size();
  const unsigned long long bit = 1ULL << (shape % 64);
  const bool maybe = (names_ & bit) != 0;
  names_ |= bit;
  return maybe &&
         std::ranges::find(attributes(), name, &PlainAttribute::name) != attributes().end();
}

bool PlainElement::read(std::string_view text, std::size_t at) {
  const std::size_t name_end = end_of_name(text, at + 1);
  if (name_end == at + 1) return false;
  name_ = text.substr(at + 1, name_end - at - 1);
  count_ = 0;
  names_ = 0;
  at = name_end;
  while (at + 1 < text.size()) {
    if (text[at] == '/' && text[at + 1] == '>') return end_ = at + 2, true;
    const std::size_t behind = at;
    while (at < text.size() && is_space(text[at])) ++at;
    const std::size_t end = end_of_name(text, at);
    if (end == at) {
      if (at == behind || at + 1 >= text.size() || text[at] != '/') return false;
      continue;
    }
    if (at == behind || count_ == kMost || !text.substr(end).starts_with("=\"")) return false;
    const std::string_view name = text.substr(at, end - at);
    const std::size_t close = next_mark(text, end + 2);
    if (close == text.size() || text[close] != '"' || has_twice(name)) return false;
    attributes_[count_++] = {name, text.substr(end + 2, close - end - 2)};
    at = close + 1;
  }
  return false;
}

}  // namespace polytrace::format::tptp
