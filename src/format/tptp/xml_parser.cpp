// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/xml_parser.hpp"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>

#include "format/tptp/xml_element.hpp"
#include "format/tptp/xml_names.hpp"
#include "format/tptp/xml_place.hpp"
#include "format/tptp/xml_scan.hpp"

namespace polytrace::format::tptp::xml {
namespace {

using base::Code;

constexpr std::string_view kOpening = "<r>";  // makes the elements one document
constexpr std::string_view kClosing = "</r>";
constexpr std::size_t kFirstPiece = 4096;  // behind a fault: the next one may be near
constexpr std::size_t kLongestPiece = std::size_t{1} << 30;
constexpr std::size_t kShownValue = 40;

}  // namespace

class Parser::Run final : private Complaints {
 public:
  Run(Receiver& receiver, base::Notices& notices, const ParseOptions& options)
      : receiver_(receiver),
        notices_(notices),
        options_(options),
        element_(*this),
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

  void restart();
  bool feed(std::string_view text, bool last);
  bool feed_rest();
  void leave_out_broken();

  void start(const char* name, const char** attributes);
  void start_top(const char* name, const char** attributes);
  void end();
  void element_done(std::size_t end);
  void finish_event(std::size_t end);
  void finish_carried(std::size_t end);
  void complain(Code code, std::string_view element, std::string_view name,
                std::string_view value) override;
  void note(Code code, std::size_t at, std::size_t bytes, std::string_view detail);

  // Where the parser is, in the chunk.
  std::size_t here() const {
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
  XML_Parser parser_;
  Scanner scanner_;

  const event::Chunk* chunk_ = nullptr;
  std::string_view text_;              // of the chunk
  std::size_t from_ = 0;               // in it, where the parser was started
  std::size_t fed_ = 0;                // as far as the parser was given
  std::size_t piece_ = 0;              // bytes to give at once
  std::size_t done_ = 0;               // as far as elements are done
  std::size_t elements_ = 0;           // bytes of elements so far
  std::size_t begin_ = 0;              // of the top-level element
  std::size_t depth_ = 0;              // of the elements that are open, the synthetic one too
  const MessageInfo* info_ = nullptr;  // of the event; null in one that is carried
  bool delivered_ = false;             // the event, when its start tag was met
};

void Parser::Run::restart() {
  from_ = fed_ = done_;
  depth_ = 0;
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
  text_ = {reinterpret_cast<const char*>(chunk.bytes.data()), chunk.bytes.size()};
  done_ = elements_ = 0;
  piece_ = kLongestPiece;
  scanner_ = {};
  scanner_.look_at(text_, 0);
  restart();
  while (!feed_rest()) {
    leave_out_broken();
    if (done_ == text_.size()) break;
    restart();
  }
  return text_.size() - elements_;
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
  note(Code::xml_malformed, begin, end - begin, why);
  elements_ += end - begin;
  done_ = end;
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
  element_.start(*info_, attributes, empty);
  if (empty) return finish_event(end);
  if (element_.has_body()) XML_SetCharacterDataHandler(parser_, on_text);
}

void Parser::Run::end() {
  if (--depth_ != 1) return;
  if (info_ == nullptr) return finish_carried(here_end());
  if (delivered_) return;
  if (element_.has_body()) XML_SetCharacterDataHandler(parser_, nullptr);
  finish_event(here_end());
}

void Parser::Run::element_done(std::size_t end) {
  elements_ += end - begin_;
  done_ = end;
}

void Parser::Run::finish_event(std::size_t end) {
  delivered_ = true;
  element_done(end);
  receiver_.take(element_.finish(), chunk_->offset + begin_, end - begin_);
}

void Parser::Run::finish_carried(std::size_t end) {
  element_done(end);
  if (!options_.carry) {
    note(Code::xml_unknown, begin_, end - begin_, "not carried");
    return;
  }
  carried_.reset(*find_message(field::Custom::kId));
  carried_.set_text(field::Custom::body, text_.substr(begin_, end - begin_));
  receiver_.take(carried_, chunk_->offset + begin_, end - begin_);
}

void Parser::Run::complain(Code code, std::string_view element, std::string_view name,
                           std::string_view value) {
  if (code == Code::attribute_lost) receiver_.lost(element, name);
  const bool first = notices_.find(code) == nullptr;
  note(code, here(), 0,
       first ? fmt::format("{} {} {}", element, name, value.substr(0, kShownValue)) : "");
}

// Lines are only counted for what is shown: the first of its kind.
void Parser::Run::note(Code code, std::size_t at, std::size_t bytes, std::string_view detail) {
  const std::uint64_t offset = chunk_->offset + at;
  if (notices_.find(code) != nullptr) return notices_.add(code, {.offset = offset}, bytes);
  LineColumn position = unpacked(chunk_->first_frame);
  position.pass(base::Bytes(chunk_->bytes).first(at));
  notices_.add(code, position.place(offset), bytes, std::string(detail));
}

Parser::Parser(Receiver& receiver, base::Notices& notices, const ParseOptions& options)
    : run_(std::make_unique<Run>(receiver, notices, options)) {}

Parser::~Parser() = default;

std::size_t Parser::parse(const event::Chunk& chunk) { return run_->parse(chunk); }

}  // namespace polytrace::format::tptp::xml
