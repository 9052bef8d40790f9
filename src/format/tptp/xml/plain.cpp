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

std::size_t end_of_name(std::string_view text, std::size_t at) {
  if (at >= text.size() || !begins(text[at])) return at;
  while (at < text.size() && kInName[static_cast<unsigned char>(text[at])]) ++at;
  return at;
}

// Ends a value, or is nothing that may stand in a plain one.
bool is_mark(char c) {
  return static_cast<signed char>(c) < ' ' || c == '"' || c == '&' || c == '<';
}

std::size_t next_mark(std::string_view text, std::size_t at) {
#if defined(__SSE2__)
  // Bytes above 127 are negative: they are below the blank, as control characters are.
  for (; at + sizeof(__m128i) <= text.size(); at += sizeof(__m128i)) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    const __m128i marks = _mm_or_si128(_mm_or_si128(_mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')),
                                                    _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'))),
                                       _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('&')),
                                                    _mm_cmpeq_epi8(bytes, _mm_set1_epi8('<'))));
    const auto found = static_cast<std::uint32_t>(_mm_movemask_epi8(marks));
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
