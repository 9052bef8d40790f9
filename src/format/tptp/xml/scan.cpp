// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/xml/scan.hpp"

#include <expat.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <type_traits>

#include "format/tptp/xml/names.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace polytrace::format::tptp {
namespace {

struct Free {
  void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};
using ExpatParser = std::unique_ptr<std::remove_pointer_t<XML_Parser>, Free>;

void XMLCALL refuse(void* parser, const XML_Char*, int, const XML_Char*, int, const XML_Char*,
                    const XML_Char*, const XML_Char*, const XML_Char*) {
  XML_StopParser(static_cast<XML_Parser>(parser), XML_FALSE);
}

bool accepts(XML_Parser parser, std::string_view text, bool last) {
  return XML_Parse(parser, text.data(), static_cast<int>(text.size()),
                   last ? XML_TRUE : XML_FALSE) == XML_STATUS_OK;
}

}  // namespace

bool is_harmless_doctype(std::string_view doctype) {
  const ExpatParser parser(XML_ParserCreate("UTF-8"));
  if (parser == nullptr) return false;
  XML_UseParserAsHandlerArg(parser.get());
  XML_SetEntityDeclHandler(parser.get(), refuse);
  return accepts(parser.get(), doctype, false) && accepts(parser.get(), "<x/>", true);
}

namespace {

using Flags = std::array<std::uint8_t, 256>;

constexpr Flags flags_of(std::string_view bytes) {
  Flags flags{};
  for (const char c : bytes) flags[static_cast<unsigned char>(c)] = 1;
  return flags;
}

constexpr Flags kTagMarks = flags_of("<>\"'");
constexpr Flags kDoctypeMarks = flags_of("<>\"'[]");

#if defined(__SSE2__)
__m128i equal(__m128i bytes, char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); }
#endif

// The place of the next mark of a tag, the text's size where there is none.
std::size_t next_tag_mark(std::string_view text, std::size_t at) {
#if defined(__SSE2__)
  for (; at + sizeof(__m128i) <= text.size(); at += sizeof(__m128i)) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    const __m128i marks = _mm_or_si128(_mm_or_si128(equal(bytes, '<'), equal(bytes, '>')),
                                       _mm_or_si128(equal(bytes, '"'), equal(bytes, '\'')));
    const auto found = static_cast<std::uint32_t>(_mm_movemask_epi8(marks));
    if (found != 0) return at + static_cast<std::size_t>(std::countr_zero(found));
  }
#endif
  while (at < text.size() && !kTagMarks[static_cast<unsigned char>(text[at])]) ++at;
  return at;
}

#if defined(__SSE2__)
// Which of 64 bytes are what, a bit for each.
struct TagMarks {
  std::uint64_t begins = 0;   // <
  std::uint64_t ends = 0;     // >
  std::uint64_t quotes = 0;   // "
  std::uint64_t singles = 0;  // '
};

TagMarks tag_marks(const char* at) {
  TagMarks marks;
  for (unsigned i = 0; i < 64; i += sizeof(__m128i)) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + i));
    const auto bits = [&](char c) {
      return std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(equal(bytes, c)))} << i;
    };
    marks.begins |= bits('<');
    marks.ends |= bits('>');
    marks.quotes |= bits('"');
    marks.singles |= bits('\'');
  }
  return marks;
}

// A bit is set where an odd number of bits was set up to there.
std::uint64_t odd_so_far(std::uint64_t bits) {
  for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}
#endif

// Passes what stands in a tag before its end or a `<`, 64 bytes at once, as long as all its quotes
// are double ones; whether `at` stands within such then.
bool pass_in_tag(std::string_view text, std::size_t& at) {
  bool within = false;
#if defined(__SSE2__)
  for (; at + 64 <= text.size(); at += 64) {
    const TagMarks marks = tag_marks(text.data() + at);
    if (marks.singles != 0) return within;
    const std::uint64_t quoted = odd_so_far(marks.quotes) ^ (within ? ~std::uint64_t{0} : 0);
    const std::uint64_t stops = marks.begins | (marks.ends & ~quoted);
    if (stops == 0) {
      within = quoted >> 63 != 0;
      continue;
    }
    at += static_cast<std::size_t>(std::countr_zero(stops));
    return (quoted >> std::countr_zero(stops) & 1) != 0;
  }
#endif
  return within;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// What is left of `whole` behind `at` begins as `word` does, as far as it goes.
bool may_start(std::string_view text, std::size_t at, std::string_view word) {
  const std::string_view got = text.substr(at, word.size());
  return word.starts_with(got);
}

}  // namespace

bool begins_name(char c) { return is_letter(c) || c == '_' || c == ':' || (c & 0x80) != 0; }

bool continues_name(char c) {
  return begins_name(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

std::size_t name_end(std::string_view text, std::size_t at) {
  if (at < text.size() && !begins_name(text[at])) return at;
  while (at < text.size() && continues_name(text[at])) ++at;
  return at;
}

Markup Scanner::markup(std::size_t at) {
  if (at + 1 >= text_.size()) return {};
  switch (text_[at + 1]) {
    case '/': return tag(at + 2, Shape::close);
    case '?': return until("?>", at + 2, Shape::aside, no_instruction_end_);
    case '!': return declaration(at);
    default: return tag(at + 1, Shape::open);
  }
}

// In a tag no `<` may stand, not even in a value: that alone keeps broken tags short.
Markup Scanner::tag(std::size_t name_at, Shape shape) {
  std::size_t at = name_end(text_, name_at);
  if (at == text_.size()) return {};
  if (at == name_at) return {Shape::broken, at};
  const std::string_view name = text_.substr(name_at, at - name_at);
  char quote = pass_in_tag(text_, at) ? '"' : '\0';
  while ((at = next_tag_mark(text_, at)) < text_.size()) {
    const char c = text_[at++];
    if (c == '<') return {Shape::broken, at - 1, name};
    if (c != '>') {
      if (quote == 0 || quote == c) quote = quote == 0 ? c : '\0';
    } else if (quote == 0) {
      if (shape == Shape::open && text_[at - 2] == '/') shape = Shape::element;
      return {shape, at, name};
    }
  }
  return {};
}

Markup Scanner::declaration(std::size_t at) {
  constexpr std::string_view kComment = "<!--";
  constexpr std::string_view kText = "<![CDATA[";
  constexpr std::string_view kDoctype = "<!DOCTYPE";
  const std::string_view rest = text_.substr(at);
  if (rest.starts_with(kComment))
    return until("-->", at + kComment.size(), Shape::aside, no_comment_end_);
  if (rest.starts_with(kText)) return until("]]>", at + kText.size(), Shape::text, no_text_end_);
  if (rest.starts_with(kDoctype)) return doctype(at + kDoctype.size());
  if (may_start(text_, at, kComment) || may_start(text_, at, kText) ||
      may_start(text_, at, kDoctype))
    return {};
  return {Shape::broken, at + 2};
}

Markup Scanner::doctype(std::size_t at) {
  char quote = 0;
  int open = 1;
  for (; at < text_.size(); ++at) {
    const char c = text_[at];
    if (!kDoctypeMarks[static_cast<unsigned char>(c)]) continue;
    if (quote != 0) {
      if (c == quote) quote = 0;
      continue;
    }
    if (text_.substr(at).starts_with("<!--")) {
      const Markup comment = declaration(at);
      if (comment.shape != Shape::aside) return comment;
      at = comment.end - 1;
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    if (c == '<' || c == '[') ++open;
    if (c == '>' || c == ']') --open;
    if (open == 0) return {Shape::doctype, at + 1};
  }
  return {};
}

Markup Scanner::until(std::string_view terminator, std::size_t from, Shape shape, Absent& absent) {
  const std::uint64_t begin = origin_ + from;
  std::size_t search = from;
  if (begin >= absent.from && begin < absent.until)
    search = static_cast<std::size_t>(absent.until - origin_);
  const std::size_t found = search > text_.size() ? kNowhere : text_.find(terminator, search);
  if (found != kNowhere) return {shape, found + terminator.size()};
  // A terminator may have begun in the last bytes.
  const std::size_t sure = std::max(text_.size(), terminator.size()) - terminator.size() + 1;
  if (sure <= from) return {};
  const bool extends = begin >= absent.from && begin <= absent.until;
  absent = {extends ? absent.from : begin, origin_ + sure};
  return {};
}

Markup Scanner::whole(std::size_t at) {
  const Markup first = markup(at);
  return first.shape == Shape::open ? rest_of(first) : first;
}

Markup Scanner::rest_of(const Markup& open) {
  std::array<std::string_view, kMaxDepth> names;
  std::size_t depth = 0;
  names[depth++] = open.name;
  // Only elements that are carried as they stand may hold what could stand alone: otherwise one
  // forgotten end tag would swallow all that follows.
  const bool closed_world = is_event(open.name) && !holds_anything(open.name);
  for (std::size_t at = open.end;;) {
    const std::size_t next = text_.find('<', at);
    if (next == kNowhere) return {};
    const Markup inner = markup(next);
    at = inner.end;
    if (inner.shape == Shape::incomplete) return {};
    const bool starts = inner.shape == Shape::open || inner.shape == Shape::element;
    if (inner.shape == Shape::broken || inner.shape == Shape::doctype ||
        (starts && closed_world && is_event(inner.name)))
      return {Shape::broken, next, open.name};
    if (inner.shape == Shape::open) {
      if (depth == kMaxDepth) return {Shape::broken, next, open.name};
      names[depth++] = inner.name;
    } else if (inner.shape == Shape::close) {
      if (names[depth - 1] != inner.name) return {Shape::broken, next, open.name};
      if (--depth == 0) return {Shape::element, at, open.name};
    }
  }
}

}  // namespace polytrace::format::tptp
