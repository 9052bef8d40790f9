// SPDX-License-Identifier: Apache-2.0
// Where markup begins and ends, and nothing else: enough to cut a stream of XML into its top-level
// elements, so that they can be parsed on every core and one broken element costs only itself.
// Whether an element is well-formed is for the parser to say (xml_parser.hpp); what is called
// broken here never is. Every decision is made on the bytes of the markup alone and never depends
// on where a buffer ends. The work is linear in the input, whatever it holds.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace polytrace::format::tptp {

// A document type declaration is read only to be sure that it declares no entities: nothing that
// it names is ever fetched. `doctype` is the declaration as a whole, from `<` to `>`.
bool is_harmless_doctype(std::string_view doctype);

inline bool is_blank(char c) { return static_cast<unsigned char>(c) <= 0x20; }

enum class Shape : std::uint8_t {
  element,     // a whole element
  open,        // a start tag whose element goes on
  close,       // an end tag
  aside,       // comment, processing instruction, XML declaration
  doctype,     // the document type declaration
  text,        // a CDATA section
  broken,      // can never be well-formed
  incomplete,  // more bytes will tell
};

struct Markup {
  Shape shape = Shape::incomplete;
  std::size_t end = 0;      // behind it; of broken markup: where that showed
  std::string_view name{};  // of element, open and close
};

inline constexpr std::size_t kMaxDepth = 64;  // of elements in each other

inline constexpr std::size_t kNowhere = std::string_view::npos;

// Views the text it was given last. One thread at a time.
class Scanner {
 public:
  // `origin` is the place of text[0] in the stream.
  void look_at(std::string_view text, std::uint64_t origin) {
    text_ = text;
    origin_ = origin;
  }

  // The single tag or other markup at text[at]. An empty-element tag is an element.
  // REQUIRES: text[at] is '<'.
  Markup markup(std::size_t at);
  // The same, but of an element as a whole.
  Markup whole(std::size_t at);
  // Of an element whose start tag was found already.
  Markup rest_of(const Markup& open);

 private:
  // A stretch of the stream that is known not to hold a terminator: nothing is searched twice.
  struct Absent {
    std::uint64_t from = 0;
    std::uint64_t until = 0;
  };

  Markup tag(std::size_t name_at, Shape shape);
  Markup declaration(std::size_t at);
  Markup doctype(std::size_t at);
  Markup until(std::string_view terminator, std::size_t from, Shape shape, Absent& absent);

  std::string_view text_;
  std::uint64_t origin_ = 0;
  Absent no_comment_end_;
  Absent no_text_end_;
  Absent no_instruction_end_;
};

// Whether an XML name can begin with, or hold, this byte. Bytes of non-ASCII characters count.
bool begins_name(char c);
bool continues_name(char c);
std::size_t name_end(std::string_view text, std::size_t at);

}  // namespace polytrace::format::tptp
