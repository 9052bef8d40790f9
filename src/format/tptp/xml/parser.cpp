// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/xml/parser.hpp"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/codes.hpp"
#include "format/tptp/xml/element.hpp"
#include "format/tptp/xml/names.hpp"
#include "format/tptp/xml/plain.hpp"
#include "format/tptp/xml/ruler.hpp"
#include "format/tptp/xml/scan.hpp"

namespace polytrace::format::tptp {
namespace {

using base::Code;

constexpr std::string_view kOpening = "<r>";  // makes the elements one document
constexpr std::string_view kClosing = "</r>";
constexpr std::size_t kFirstPiece = 4096;  // behind a fault: the next one may be near
constexpr std::size_t kLongestPiece = std::size_t{1} << 30;
constexpr std::size_t kShownValue = 40;
constexpr std::size_t kMostStretch = 65536;

}  // namespace

class Parser::Run final : private Complaints {
 public:
  Run(Receiver& receiver, base::Notices& notices, const ParseOptions& options)
      : receiver_(receiver),
        notices_(notices),
        options_(options),
        element_(*this),
        ruler_(options.converted),
        parser_(XML_ParserCreate("UTF-8")) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() override { XML_ParserFree(parser_); }

  std::size_t parse(const event::Chunk& chunk);

 private:
  static void XMLCALL on_start(void* run, const XML_Char* name, const XML_Char** attributes) {
    static_cast<Run*>(run)->start(name, attributes);
  }
  static void XMLCALL on_end(void* run, const XML_Char*) { static_cast<Run*>(run)->end(); }
  static void XMLCALL on_text(void* run, const XML_Char* text, int size) {
    static_cast<Run*>(run)->element_.text({text, static_cast<std::size_t>(size)});
  }

  void take_plain();
  const MessageInfo* find_plain();
  bool is_blank_from(std::size_t at) const;
  void restart();
  bool feed(std::string_view text, bool last);
  bool feed_rest();
  void leave_out_broken();

  void start(const char* name, const char** attributes);
  void start_top(const char* name, const char** attributes);
  void end();
  void finish_top();
  // Where an element stood in the input.
  struct Part {
    std::uint64_t offset;
    std::size_t bytes;
  };
  Part done(std::size_t begin, std::size_t end);
  void finish_event(std::size_t end);
  void finish_carried(std::size_t end);
  void complain(Code code, std::string_view element, std::string_view name,
                std::string_view value) override;
  void note(Code code, std::size_t at, Part part, std::string_view detail);
  // Whether the next place of such a notice is among those that are kept.
  bool is_shown(Code code) const;

  // In the input.
  std::uint64_t place_of(std::size_t at) {
    return chunk_->offset + ruler_.before(chunk_->bytes, at);
  }
  // Where the parser is, in the chunk.
  std::size_t here() const {
    if (!in_parser_) return begin_;
    return from_ + static_cast<std::size_t>(XML_GetCurrentByteIndex(parser_)) - kOpening.size();
  }
  std::size_t here_end() const {
    return here() + static_cast<std::size_t>(XML_GetCurrentByteCount(parser_));
  }

  Receiver& receiver_;
  base::Notices& notices_;
  ParseOptions options_;
  Element element_;
  Message carried_;
  Ruler ruler_;
  XML_Parser parser_;
  Scanner scanner_;
  PlainElement plain_;
  std::array<const MessageInfo*, 4> met_{};  // of plain elements, newest first

  const event::Chunk* chunk_ = nullptr;
  std::string_view text_;              // of the chunk
  std::size_t from_ = 0;               // in it, where the parser was started
  std::size_t fed_ = 0;                // as far as the parser was given
  std::size_t piece_ = 0;              // bytes to give at once
  std::size_t done_ = 0;               // as far as elements are done
  std::size_t elements_ = 0;           // bytes of elements so far, in the input
  std::size_t begin_ = 0;              // of the top-level element
  std::size_t depth_ = 0;              // of the elements that are open, the synthetic one too
  const MessageInfo* info_ = nullptr;  // of the event; null in one that is carried
  bool delivered_ = false;             // the event, when its start tag was met
  bool in_parser_ = false;
  std::size_t stretch_ = 1;   // elements that the parser takes before plain ones are tried
  std::size_t left_ = 0;      // of them
  bool handed_back_ = false;  // the parser was stopped behind the last of them
  std::size_t counted_ = 0;   // how far position_ has counted lines
  LineColumn position_;
};

void Parser::Run::restart() {
  from_ = fed_ = done_;
  depth_ = 0;
  in_parser_ = true;
  left_ = options_.plain ? stretch_ : ~std::size_t{0};
  handed_back_ = false;
  if (parser_ == nullptr) return;  // no memory: feeding it fails
  XML_ParserReset(parser_, "UTF-8");
  XML_SetUserData(parser_, this);
  XML_SetElementHandler(parser_, on_start, on_end);
}

bool Parser::Run::feed(std::string_view text, bool last) {
  return XML_Parse(parser_, text.data(), static_cast<int>(text.size()),
                   last ? XML_TRUE : XML_FALSE) == XML_STATUS_OK;
}

bool Parser::Run::feed_rest() {
  if (!feed(kOpening, false)) return false;
  while (fed_ < text_.size()) {
    const std::string_view piece = text_.substr(fed_, piece_);
    fed_ += piece.size();
    if (!feed(piece, false)) return false;
    piece_ = std::min(piece_ * 2, kLongestPiece);
  }
  return feed(kClosing, true);
}

std::size_t Parser::Run::parse(const event::Chunk& chunk) {
  chunk_ = &chunk;
  counted_ = 0;
  text_ = {reinterpret_cast<const char*>(chunk.bytes.data()), chunk.bytes.size()};
  done_ = elements_ = 0;
  piece_ = kLongestPiece;
  stretch_ = 1;
  ruler_.restart();
  scanner_ = {};
  scanner_.look_at(text_, 0);
  while (true) {
    if (options_.plain) take_plain();
    if (is_blank_from(done_)) break;
    restart();
    if (feed_rest()) break;
    if (!handed_back_) leave_out_broken();
  }
  return place_of(text_.size()) - chunk.offset - elements_;
}

bool Parser::Run::is_blank_from(std::size_t at) const {
  return std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(at), text_.end(), is_blank);
}

// Traces are made of few kinds of elements in turns.
const MessageInfo* Parser::Run::find_plain() {
  for (const MessageInfo* const info : met_)
    if (info != nullptr && info->element == plain_.name()) return info;
  std::ranges::rotate(met_, met_.end() - 1);
  return met_.front() = find_element(plain_.name());
}

// As far as elements are plain. Where none was, the parser takes more of them at once.
void Parser::Run::take_plain() {
  in_parser_ = false;
  const std::size_t before = done_;
  for (std::size_t at = done_;; at = done_) {
    while (at < text_.size() && is_blank(text_[at])) ++at;
    if (at == text_.size() || text_[at] != '<' || !plain_.read(text_, at)) break;
    info_ = find_plain();
    if (info_ == nullptr) break;
    begin_ = at;
    element_.start(*info_, true);
    for (const PlainAttribute& one : plain_.attributes()) element_.attribute(one.name, one.value);
    finish_event(plain_.end());
  }
  stretch_ = done_ != before ? 1 : std::min(stretch_ * 2, kMostStretch);
}

// The element at fault is the first one that is not done.
void Parser::Run::leave_out_broken() {
  const std::string_view why = XML_ErrorString(XML_GetErrorCode(parser_));
  const std::size_t begin = std::min(text_.find('<', done_), text_.size());
  std::size_t end = text_.size();
  if (begin < end) {
    const Markup broken = scanner_.whole(begin);
    if (broken.shape == Shape::element) end = broken.end;
  }
  const Part lost = done(begin, end);
  note(Code::xml_malformed, begin, lost, why);
  piece_ = kFirstPiece;
}

void Parser::Run::start(const char* name, const char** attributes) {
  if (depth_ == 1) start_top(name, attributes);
  if (depth_ == 2 && info_ != nullptr) element_.child(name, attributes);
  ++depth_;
}

void Parser::Run::start_top(const char* name, const char** attributes) {
  begin_ = here();
  info_ = find_element(name);
  delivered_ = false;
  if (info_ == nullptr) {
    if (!is_carried(name)) complain(Code::xml_unknown, name, {}, {});
    return;
  }
  const std::size_t end = here_end();
  const bool empty = text_[end - 2] == '/';
  element_.start(*info_, empty);
  for (; *attributes != nullptr; attributes += 2) element_.attribute(attributes[0], attributes[1]);
  if (empty) return finish_event(end);
  if (element_.has_body()) XML_SetCharacterDataHandler(parser_, on_text);
}

void Parser::Run::end() {
  if (--depth_ != 1) return;
  finish_top();
  if (--left_ != 0) return;
  handed_back_ = true;
  XML_StopParser(parser_, XML_FALSE);
}

void Parser::Run::finish_top() {
  if (info_ == nullptr) return finish_carried(here_end());
  if (delivered_) return;
  if (element_.has_body()) XML_SetCharacterDataHandler(parser_, nullptr);
  finish_event(here_end());
}

Parser::Run::Part Parser::Run::done(std::size_t begin, std::size_t end) {
  const std::uint64_t offset = place_of(begin);
  const std::size_t bytes = place_of(end) - offset;
  ruler_.settle();
  elements_ += bytes;
  done_ = end;
  return {offset, bytes};
}

void Parser::Run::finish_event(std::size_t end) {
  delivered_ = true;
  const Part part = done(begin_, end);
  receiver_.take(element_.finish(), part.offset, part.bytes);
}

void Parser::Run::finish_carried(std::size_t end) {
  const Part part = done(begin_, end);
  if (!options_.carry) return note(Code::xml_unknown, begin_, part, "not carried");
  carried_.reset(*find_message(field::Custom::kId));
  carried_.set_text(field::Custom::body, text_.substr(begin_, end - begin_));
  receiver_.take(carried_, part.offset, part.bytes);
}

void Parser::Run::complain(Code code, std::string_view element, std::string_view name,
                           std::string_view value) {
  if (code == Code::attribute_lost) receiver_.lost(element, name);
  note(code, here(), {place_of(here()), 0},
       is_shown(code) ? fmt::format("{} {} {}", element, name, value.substr(0, kShownValue)) : "");
}

bool Parser::Run::is_shown(Code code) const {
  const base::Notice* known = notices_.find(code);
  return known == nullptr || known->others.size() < base::Notice::kMostOthers;
}

// Lines are only counted for what is shown, and from one such place to the next.
void Parser::Run::note(Code code, std::size_t at, Part part, std::string_view detail) {
  if (!is_shown(code)) return notices_.add(code, {.offset = part.offset}, part.bytes);
  if (at < counted_) counted_ = 0;
  if (counted_ == 0) position_ = unpacked(chunk_->first_frame);
  position_.pass(base::Bytes(chunk_->bytes).subspan(counted_, at - counted_));
  counted_ = at;
  notices_.add(code, position_.place(part.offset), part.bytes, std::string(detail));
}

Parser::Parser(Receiver& receiver, base::Notices& notices, const ParseOptions& options)
    : run_(std::make_unique<Run>(receiver, notices, options)) {}

Parser::~Parser() = default;

std::size_t Parser::parse(const event::Chunk& chunk) { return run_->parse(chunk); }

}  // namespace polytrace::format::tptp
