// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/tbf/framing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "format/tptp/tbf/calls.hpp"
#include "format/tptp/tbf/plain_call.hpp"

namespace polytrace::format::tptp {
namespace {

using base::Bytes;
using base::Code;
using event::Cut;
using event::FrameStream;
using event::Likely;

bool is_zero(std::byte byte) { return byte == std::byte{0}; }

Behind behind(bool ended) { return ended ? Behind::nothing : Behind::unknown; }

}  // namespace

base::result<FileHeader> begin_tbf(FrameStream& stream) {
  while (stream.rest().size() < kHeaderBytes && !stream.ended()) {
    if (auto done = stream.read_more(kHeaderBytes); !done) return base::Unexpected(done.error());
  }
  if (stream.rest().size() < kHeaderBytes)
    return base::fail(Code::not_recognised, "it ends inside its header", {.offset = 0});
  auto header = read_header(stream.rest());
  if (!header) return header;
  const std::uint64_t data = kHeaderBytes + header->prelude();
  const auto most = std::min<std::uint64_t>(data, kHeaderBytes + kMostPrelude);
  while (stream.rest().size() < most && !stream.ended()) {
    if (auto done = stream.read_more(); !done) return base::Unexpected(done.error());
  }
  if (stream.rest().size() < data && stream.ended())
    return base::fail(Code::offset_invalid, fmt::format("{}", header->offset), {.offset = 0});
  return header;
}

Cut TbfRules::look(std::span<std::byte> rest, std::uint64_t, bool ended) {
  frame_ = {};
  if (gap_ != 0) return Cut::broken();
  if (allows_plain_calls(state_)) {
    std::uint64_t calls = 0;
    const std::size_t bytes = pass_plain_calls(rest, state_, calls);
    if (bytes != 0) return Cut::whole(bytes, calls);
  }
  frame_ = find_frame(rest, state_, limits_, behind(ended));
  switch (frame_.step) {
    case Step::message:
    case Step::header: return Cut::whole(frame_.bytes);
    case Step::incomplete: return Cut::incomplete(frame_.missing);
    default: return Cut::broken();
  }
}

void TbfRules::take(std::span<std::byte> frame, std::uint64_t offset, base::Notices&) {
  if (frame_.step != Step::message && frame_.step != Step::header) return;
  apply(frame_, frame, offset, state_, limits_, nullptr);
  gap_ = frame_.skip;
}

base::result<void> TbfRules::pass(FrameStream& stream) {
  if (gap_ != 0) return pass_gap(stream);
  return frame_.step == Step::zeros ? pass_zeros(stream) : pass_broken(stream);
}

base::result<void> TbfRules::pass_gap(FrameStream& stream) {
  const std::uint64_t begin = stream.offset();
  while (gap_ != 0 && !(stream.rest().empty() && stream.ended())) {
    if (stream.rest().empty()) {
      if (auto done = stream.read_more(); !done) return done;
      continue;
    }
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(gap_, stream.rest().size()));
    stream.drop(count);
    gap_ -= count;
  }
  stream.notices().add(gap_ == 0 ? Code::bytes_skipped : Code::offset_invalid, {.offset = begin},
                       stream.offset() - begin);
  gap_ = 0;
  return {};
}

// Zeros to the end are padding. Where something follows, a size of 0 is impossible, or in a stream
// whose sizes count no headers a message without content.
base::result<void> TbfRules::pass_zeros(FrameStream& stream) {
  const std::uint64_t begin = stream.offset();
  std::size_t zeros = 0;  // at the front
  for (;;) {
    const Bytes rest = stream.rest();
    const auto stop = std::find_if_not(rest.begin(), rest.end(), is_zero);
    zeros = static_cast<std::size_t>(stop - rest.begin());
    const bool over = zeros < rest.size() || stream.ended();
    const std::size_t kept = zeros % kMessageHeaderBytes;
    stream.drop(zeros - kept);
    zeros = kept;
    if (over) break;
    if (auto done = stream.read_more(); !done) return done;
  }
  if (zeros == stream.rest().size()) {
    stream.drop(zeros);
    stream.notices().add(Code::padding, {.offset = begin}, stream.offset() - begin);
    return {};
  }
  if (state_.sizes != Sizes::exclusive)
    return search(stream, {Code::frame_length, {.offset = begin}, "0 bytes"}, zeros);
  const std::uint64_t bytes = stream.offset() - begin;
  stream.notices().add(
      {Code::message_unknown, bytes / kMessageHeaderBytes, bytes, {.offset = begin}, "id 0"});
  return {};
}

base::result<void> TbfRules::pass_broken(FrameStream& stream) {
  std::string detail = frame_.fault == Code::frame_id ? fmt::format("id {:#x}", frame_.fault_value)
                       : frame_.fault == Code::frame_length
                           ? fmt::format("{} bytes", frame_.fault_value)
                           : "the name of an encoding";
  return search(stream, {frame_.fault, {.offset = stream.offset()}, std::move(detail)}, 1);
}

base::result<void> TbfRules::search(FrameStream& stream, base::Error fault, std::size_t from) {
  return stream.lose(std::move(fault), from,
                     [this](Bytes rest, bool ended) { return likely(rest, ended); });
}

bool TbfRules::starts_frame(Bytes rest) const {
  constexpr std::size_t kMostLikely = 64 * 1024;  // a larger message is not looked for
  if (rest.size() >= kHeaderBytes && is_restart(rest)) return true;
  const auto id = load<std::uint16_t>(rest.data(), state_.order);
  const auto size = load<std::uint32_t>(rest.data() + 2, state_.order);
  const MessageInfo* message = find_message(id);
  const bool system = (id == kEncodingId || id == kFrequencyId) && size >= 8 && size <= 64;
  return system || (message != nullptr && size <= kMostLikely &&
                    size + kMessageHeaderBytes >= message->least_bytes());
}

Likely TbfRules::likely(Bytes rest, bool ended) const {
  const auto unclear = ended ? Likely::no : Likely::unclear;
  if (rest.size() < kHeaderBytes && !ended) return Likely::unclear;
  if (rest.size() < kMessageHeaderBytes || !starts_frame(rest)) return Likely::no;
  StreamState state = state_;
  const Frame frame = find_frame(rest, state, limits_, behind(ended));
  if (frame.step == Step::incomplete) return unclear;
  if (frame.step != Step::message && frame.step != Step::header) return Likely::no;
  const Bytes next = rest.subspan(frame.bytes);
  if (next.size() < kHeaderBytes && !ended) return Likely::unclear;
  if (next.empty()) return Likely::yes;
  return next.size() >= kMessageHeaderBytes && starts_frame(next) ? Likely::yes : Likely::no;
}

void TbfRules::end(FrameStream& stream, bool) {
  const Bytes rest = stream.rest();
  const bool zeros = std::all_of(rest.begin(), rest.end(), is_zero);
  if (!rest.empty())
    stream.notices().add(
        zeros && rest.size() < kMessageHeaderBytes ? Code::padding : Code::frame_truncated,
        {.offset = stream.offset(), .frame = fmt::format("message {}", stream.frames())},
        rest.size());
}

}  // namespace polytrace::format::tptp
