// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/tbf/message_decoder.hpp"

#include <fmt/format.h>

#include "base/codes.hpp"

namespace polytrace::format::tptp {
namespace {

using base::Bytes;
using base::Code;

}  // namespace

std::size_t MessageDecoder::take(Bytes rest, std::uint64_t offset) {
  has_message_ = false;
  first_time_ = 0;
  const Sizes sizes = state_.sizes;
  frame_ = find_frame(rest, state_, limits_, Behind::cut);
  tell_sizes(sizes, state_, offset, account_);
  const Bytes bytes = rest.first(frame_.bytes);
  const Applied applied = apply(frame_, bytes, offset, state_, limits_, &account_);
  if (applied.tells_clock) first_time_ = applied.time;
  if (frame_.step == Step::message && frame_.id >= kFirstDataId) decode(frame_, bytes, offset);
  return frame_.bytes;
}

void MessageDecoder::decode(const Frame& frame, Bytes bytes, std::uint64_t offset) {
  const MessageInfo* info = find_message(frame.id);
  if (info == nullptr)
    return account_.notices.add(Code::message_unknown, {.offset = offset}, bytes.size(),
                                fmt::format("id {}", frame.id));
  const Bytes payload = bytes.subspan(frame.payload);
  const Parsed parsed = parser_.parse(*info, payload, state_, message_);
  const base::Place place{.offset = offset, .frame = std::string(info->element)};
  if (parsed.fit == Fit::broken)
    return account_.notices.add(
        parsed.fault, place, bytes.size(),
        parsed.fault == Code::count_too_large ? fmt::format("depth {}", parsed.value) : "");
  const std::size_t left_over = payload.size() - parsed.used;
  tell(parsed, offset, left_over);
  account_.count(info->record, bytes.size() - left_over);
  ++account_.tally.frames;
  has_message_ = true;
}

void MessageDecoder::tell(const Parsed& parsed, std::uint64_t offset, std::size_t left_over) {
  if (parsed.fit == Fit::exact && parsed.layout == Layout::own && parsed.ill_texts == 0 &&
      parsed.clamped == 0)
    return;
  const base::Place place{.offset = offset, .frame = std::string(message_.info().element)};
  auto& notices = account_.notices;
  if (parsed.layout != Layout::own) notices.add(Code::layout_other, place, 0);
  if (parsed.fit == Fit::longer) notices.add(Code::message_longer, place, left_over);
  if (parsed.fit == Fit::shorter) notices.add(Code::message_shorter, place, 0);
  for (std::uint32_t i = 0; i < parsed.ill_texts; ++i) notices.add(Code::text_ill_formed, place, 0);
  for (std::uint32_t i = 0; i < parsed.clamped; ++i) notices.add(Code::number_clamped, place, 0);
}

}  // namespace polytrace::format::tptp
