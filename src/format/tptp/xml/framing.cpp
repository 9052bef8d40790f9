// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/xml/framing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "base/text/utf8.hpp"
#include "format/tptp/xml/names.hpp"
#include "format/tptp/xml/scan.hpp"

namespace polytrace::format::tptp {
namespace {

using base::Code;
using base::Unexpected;

constexpr std::size_t kChunk = 512 * 1024;  // bounds the threads that one batch can name
constexpr std::size_t kLongestName = 64;    // of what reading can go on at

// A character that documents may have, as long in every encoding as the one it replaces.
void replace_no_characters(std::span<std::byte> text) {
  static_assert(base::kReplacement.size() == kNoCharacter.size());
  const auto none = std::as_bytes(std::span(kNoCharacter));
  const auto replacement = std::as_bytes(std::span(base::kReplacement));
  while (true) {
    const auto found = std::ranges::search(text, none);
    if (found.empty()) return;
    std::ranges::copy(replacement, found.begin());
    text = {found.end(), text.end()};
  }
}

}  // namespace

std::string_view XmlFraming::text() const {
  return {reinterpret_cast<const char*>(buffer_.data()) + at_, buffer_.size() - at_};
}

base::result<bool> XmlFraming::next(event::Chunk& chunk) {
  std::size_t taken = 0;
  begins_.clear();
  lost_ = 0;
  while (taken < kChunk) {
    const std::string_view all = text();
    while (taken < all.size() && all[taken] == '\n') ++taken;  // as between() would, but at once
    Step found = step(taken);
    if (found.verdict == Verdict::take || blank_out(taken, found)) {
      taken += found.bytes;
      continue;
    }
    if (taken > 0) break;
    if (found.verdict == Verdict::need_more && source_ended_) return finish(), false;
    const auto done =
        found.verdict == Verdict::need_more ? read_more() : leave_out(std::move(found));
    if (!done) return Unexpected(done.error());
  }
  give(chunk, taken);
  return true;
}

XmlFraming::Step XmlFraming::step(std::size_t at) {
  const std::string_view all = text();
  if (at == all.size()) return {};
  if (all[at] != '<') return between(at);
  scanner_.look_at(all, offset_);
  const Markup found = scanner_.markup(at);
  switch (found.shape) {
    case Shape::element:
      if (!root_ && found.name == kRoot) return blanked(at, found.end);
      return element(at, found.end);
    case Shape::open: return start_tag(at, found);
    case Shape::close: return close(at, found);
    case Shape::aside: return blanked(at, found.end);
    case Shape::doctype: return doctype(at, found.end);
    case Shape::text: return stray(found.end - at);
    case Shape::broken: return broken(fmt::format("in <{}", found.name));
    default: return incomplete(at, {});
  }
}

XmlFraming::Step XmlFraming::between(std::size_t at) {
  const std::string_view all = text();
  std::size_t end = at;
  while (end < all.size() && is_blank(all[end])) ++end;
  const std::string_view mark = all.substr(at, base::kByteOrderMark.size());
  if (mark == base::kByteOrderMark) end += mark.size();
  if (end > at) return blanked(at, end);
  if (base::kByteOrderMark.starts_with(mark) && !source_ended_) return {};
  end = std::min(all.find('<', at), all.size());
  if (end == all.size() && !source_ended_ && end - at < kPiece) return {};
  if (root_ && all.substr(at, end - at).find('>') != all.npos)
    return {Verdict::leave_out, end - at, Code::xml_malformed, "a tag without its <"};
  return stray(end - at);
}

// Text beside the events of a document is well-formed, outside of one it is not.
XmlFraming::Step XmlFraming::stray(std::size_t bytes) const {
  return {Verdict::leave_out, bytes, root_ ? Code::xml_unknown : Code::xml_malformed,
          "text between elements"};
}

bool XmlFraming::becomes_root(std::string_view name) const {
  if (root_ || is_event(name) || is_carried(name)) return false;
  return !met_element_ || name == kRoot || name == last_root_;
}

XmlFraming::Step XmlFraming::start_tag(std::size_t at, const Markup& open) {
  if (becomes_root(open.name)) {
    root_ = last_root_ = open.name;
    return blanked(at, open.end);
  }
  const Markup whole = scanner_.rest_of(open);
  if (whole.shape == Shape::element) return element(at, whole.end);
  if (whole.shape == Shape::broken) return broken(fmt::format("in <{}>", open.name));
  return incomplete(at, open.name);
}

XmlFraming::Step XmlFraming::element(std::size_t at, std::size_t end) {
  if (!root_) met_element_ = true;
  begins_.push_back(at);
  return {Verdict::take, end - at};
}

XmlFraming::Step XmlFraming::close(std::size_t at, const Markup& tag) {
  if (!root_ || *root_ != tag.name) return broken(fmt::format("</{}> without a start", tag.name));
  root_.reset();
  return blanked(at, tag.end);
}

XmlFraming::Step XmlFraming::doctype(std::size_t at, std::size_t end) {
  if (is_harmless_doctype(text().substr(at, end - at))) return blanked(at, end);
  return {Verdict::leave_out, end - at, Code::xml_malformed, "a DOCTYPE that declares entities"};
}

XmlFraming::Step XmlFraming::incomplete(std::size_t at, std::string_view name) const {
  const std::string_view rest = text().substr(at);
  if (doctype_spoilt_ && rest.starts_with("<!D")) return broken("a second DOCTYPE without end");
  if (rest.size() <= limits_.frame_bytes) return {};
  return broken(fmt::format("<{}> is longer than {} bytes", name, limits_.frame_bytes));
}

XmlFraming::Step XmlFraming::broken(std::string detail) const {
  return {Verdict::leave_out_to_next, 1, Code::xml_malformed, std::move(detail)};
}

// Lines stay as they are; so do converted characters, which the parser passes over: they are as
// long as they were.
XmlFraming::Step XmlFraming::blanked(std::size_t at, std::size_t end) {
  const std::span<std::byte> part(buffer_.data() + at_ + at, end - at);
  const bool keeps = ruler_.converts();
  std::ranges::replace_if(
      part,
      [keeps](std::byte byte) {
        return byte != std::byte{'\n'} && (!keeps || byte < std::byte{0x80});
      },
      std::byte{' '});
  if (keeps) replace_no_characters(part);
  return {Verdict::take, end - at};
}

// Leaves out what ends in the buffer without ending the chunk. True when done; step.bytes then says
// how much it was.
bool XmlFraming::blank_out(std::size_t at, Step& step) {
  if (step.verdict == Verdict::need_more) return false;
  if (step.verdict == Verdict::leave_out_to_next) {
    std::size_t bytes = 0;
    if (!find_next(at + 1, bytes)) return false;
    step.bytes = bytes + 1;
  }
  lost_ += note(step, at);
  if (text().substr(at).starts_with("<!D")) doctype_spoilt_ = true;
  blanked(at, at + step.bytes);
  return true;
}

// Lines are only counted for what is shown: the first of its kind. Says how many bytes of the input
// it is about.
std::size_t XmlFraming::note(const Step& step, std::size_t at) {
  const std::uint64_t place = place_of(at);
  const std::size_t bytes = place_of(at + step.bytes) - place;
  if (notices_.find(step.code) != nullptr) {
    notices_.add(step.code, {.offset = place}, bytes);
    return bytes;
  }
  LineColumn position = position_;
  position.pass(rest().first(at));
  notices_.add(step.code, position.place(place), bytes, step.detail);
  return bytes;
}

base::result<void> XmlFraming::leave_out(Step step) {
  const base::Place place = position_.place(input_offset_);
  if (text().starts_with("<!D")) doctype_spoilt_ = true;
  drop(step.bytes);
  while (step.verdict == Verdict::leave_out_to_next) {
    std::size_t bytes = 0;
    const bool found = find_next(0, bytes);
    drop(bytes);
    if (found || (source_ended_ && text().empty())) break;
    if (auto done = read_more(); !done) return done;
  }
  notices_.add(step.code, place, input_offset_ - place.offset, std::move(step.detail));
  return {};
}

bool XmlFraming::find_next(std::size_t from, std::size_t& bytes) const {
  const std::string_view all = text();
  for (std::size_t at = from;; ++at) {
    at = std::min(all.find('<', at), all.size());
    bytes = at - from;
    if (at == all.size()) return false;
    const Markup tag = recognised(at);
    if (tag.shape == Shape::incomplete) return false;
    if (tag.shape != Shape::broken) return true;
  }
}

// The tag that begins here, when it is one that reading can go on at.
Markup XmlFraming::recognised(std::size_t at) const {
  const std::string_view rest = text().substr(at + 1, kLongestName);
  const bool closes = rest.starts_with('/');
  const std::size_t from = closes ? 1 : 0;
  const std::size_t end = name_end(rest, from);
  if (end == rest.size() && rest.size() < kLongestName)
    return {source_ended_ ? Shape::broken : Shape::incomplete};
  const std::string_view name = rest.substr(from, end - from);
  const bool known = closes ? root_ && *root_ == name : is_event(name) || is_carried(name);
  return {known ? Shape::open : Shape::broken};
}

void XmlFraming::give(event::Chunk& chunk, std::size_t bytes) {
  chunk.bytes.clear();
  const std::byte* const from = buffer_.data() + at_;
  chunk.bytes.grew_to(std::copy(from, from + bytes, chunk.bytes.room(bytes)));
  chunk.offset = input_offset_;
  chunk.sequence = chunks_++;
  chunk.first_frame = packed(position_);
  drop(bytes);
}

void XmlFraming::drop(std::size_t bytes) {
  position_.pass(rest().first(bytes));
  input_offset_ = place_of(bytes);
  ruler_.restart();
  at_ += bytes;
  offset_ += bytes;
}

void XmlFraming::finish() {
  const std::string_view rest = text();
  if (!rest.empty() || root_) {
    const bool in_element = rest.starts_with('<');
    const std::string_view name = in_element ? rest.substr(1, name_end(rest, 1) - 1) : rest;
    notices_.add(Code::frame_truncated, position_.place(input_offset_),
                 place_of(rest.size()) - input_offset_,
                 in_element ? fmt::format("in <{}>", name)
                            : fmt::format("before </{}>", root_.value_or("")));
  }
  drop(rest.size());
  root_.reset();
  if (auto fault = source_.end_fault())
    notices_.add(fault->code, fault->place, 0, std::move(fault->detail));
}

// What an incomplete element lacks is not known: the longer it is already, the more is read at
// once, so that it is not looked through too often.
base::result<void> XmlFraming::read_more() {
  const std::size_t have = buffer_.size() - at_;
  if (at_ > 0) {
    std::copy(buffer_.begin() + at_, buffer_.end(), buffer_.begin());
    buffer_.grew_to(buffer_.begin() + have);
    at_ = 0;
  }
  const std::size_t wanted = have < kPiece ? 1 : have / 2;
  for (std::size_t got = 0; got < wanted && !source_ended_;) {
    const auto read = base::append_from(source_, buffer_, piece_.next());
    if (!read) return Unexpected(read.error());
    got += *read;
    source_ended_ = *read == 0;
  }
  return {};
}

}  // namespace polytrace::format::tptp
