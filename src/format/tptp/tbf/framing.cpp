// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/tbf/framing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "format/tptp/tbf/plain_call.hpp"

namespace polytrace::format::tptp {
namespace {

using base::Bytes;
using base::Code;
using base::Unexpected;

constexpr std::size_t kMostAtOnce = 1024 * 1024;  // what a size claims may never come

void append(base::RawArray<std::byte>& to, Bytes bytes) {
  to.grew_to(std::copy(bytes.begin(), bytes.end(), to.room(bytes.size())));
}

void drop_front(base::RawArray<std::byte>& bytes, std::size_t count) {
  bytes.grew_to(std::copy(bytes.begin() + count, bytes.end(), bytes.begin()));
}

}  // namespace

base::result<FileHeader> TbfFraming::begin() {
  while (tail_.size() < kHeaderBytes && !source_ended_) {
    if (auto done = read_more(tail_, kHeaderBytes); !done) return Unexpected(done.error());
  }
  if (tail_.size() < kHeaderBytes)
    return base::fail(Code::not_recognised, "it ends inside its header", {.offset = 0});
  auto header = read_header(tail_);
  if (!header) return header;
  const std::uint64_t data = kHeaderBytes + header->prelude();
  while (tail_.size() < std::min<std::uint64_t>(data, kHeaderBytes + kMostPrelude) &&
         !source_ended_) {
    if (auto done = read_more(tail_, 0); !done) return Unexpected(done.error());
  }
  if (tail_.size() < data && source_ended_)
    return base::fail(Code::offset_invalid, fmt::format("{}", header->offset), {.offset = 0});
  return header;
}

base::result<bool> TbfFraming::next(event::Chunk& chunk) {
  base::RawArray<std::byte>& bytes = chunk.bytes;
  bytes.clear();
  append(bytes, tail_);
  tail_.clear();
  std::size_t end = 0;
  std::uint64_t frames = 0;
  for (;;) {
    if (gap_ != 0) {
      if (auto done = pass_gap(bytes); !done) return Unexpected(done.error());
    }
    chunk.context = std::make_shared<StreamState>(state_);
    const Frame frame = pass_frames(bytes, end, frames);
    if (frames > 0) break;
    base::result<void> done;
    if (frame.step == Step::zeros) done = pass_zeros(bytes);
    else if (frame.step == Step::broken) done = pass_broken(bytes, frame);
    else if (source_ended_) return finish(bytes), false;
    else done = read_more(bytes, frame.missing);
    if (!done) return Unexpected(done.error());
  }
  append(tail_, Bytes(bytes).subspan(end));
  bytes.grew_to(bytes.begin() + end);
  chunk.offset = offset_;
  chunk.sequence = chunks_++;
  chunk.first_frame = frames_;
  offset_ += end;
  frames_ += frames;
  return true;
}

Frame TbfFraming::pass_frames(Buffer& bytes, std::size_t& end, std::uint64_t& frames) {
  for (;;) {
    if (allows_plain_calls(state_))
      end +=
          watch_.see_calls({bytes.data() + end, bytes.size() - end}, offset_ + end, state_, frames);
    const Bytes rest = Bytes(bytes).subspan(end);
    const Frame frame = find_frame(rest, state_, options_.limits, behind());
    if (frame.step != Step::message && frame.step != Step::header) return frame;
    const Bytes whole = rest.first(frame.bytes);
    const std::uint64_t at = offset_ + end;
    apply(frame, whole, at, state_, options_.limits, nullptr);
    if (frame.step == Step::header) watch_.restart();
    else watch_.see(frame, {bytes.data() + end, frame.bytes}, at, state_);
    end += frame.bytes;
    ++frames;
    if (frame.skip == 0) continue;
    gap_ = frame.skip;
    gap_from_ = at + frame.bytes;
    return frame;
  }
}

base::result<void> TbfFraming::read_more(Buffer& bytes, std::size_t wanted) {
  const std::size_t room = std::clamp(wanted, piece_.next(), kMostAtOnce);
  const auto got = base::append_from(source_, bytes, room);
  if (!got) return Unexpected(got.error());
  if (*got == 0) source_ended_ = true;
  return {};
}

base::result<void> TbfFraming::pass_gap(Buffer& bytes) {
  const std::uint64_t wanted = gap_;
  while (gap_ != 0) {
    if (bytes.empty() && source_ended_) break;
    if (bytes.empty()) {
      if (auto done = read_more(bytes, 0); !done) return done;
      continue;
    }
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(gap_, bytes.size()));
    drop_front(bytes, count);
    gap_ -= count;
  }
  notices_.add(gap_ == 0 ? Code::bytes_skipped : Code::offset_invalid, {.offset = gap_from_},
               wanted - gap_);
  offset_ += wanted - gap_;
  gap_ = 0;
  return {};
}

// Zeros to the end are padding. Where something follows, a size of 0 is impossible, or in a stream
// whose sizes count no headers a message without content.
base::result<void> TbfFraming::pass_zeros(Buffer& bytes) {
  const std::uint64_t begin = offset_;
  std::uint64_t zeros = 0;
  for (;;) {
    const auto stop = std::find_if(bytes.begin(), bytes.end(),
                                   [](std::byte byte) { return byte != std::byte{0}; });
    const auto count = static_cast<std::size_t>(stop - bytes.begin());
    zeros += count;
    drop_front(bytes, count);
    if (!bytes.empty() || source_ended_) break;
    if (auto done = read_more(bytes, 0); !done) return done;
  }
  if (bytes.empty()) {
    notices_.add(Code::padding, {.offset = begin}, zeros);
    offset_ += zeros;
    return {};
  }
  if (state_.sizes == Sizes::exclusive)
    return pass_empty_messages(bytes, zeros), base::result<void>{};
  const auto skipped = options_.resync ? search(bytes, 0) : drain(bytes);
  if (!skipped) return Unexpected(skipped.error());
  notices_.add(Code::frame_length, {.offset = begin}, zeros + *skipped, "0 bytes");
  offset_ += zeros + *skipped;
  return {};
}

void TbfFraming::pass_empty_messages(Buffer& bytes, std::uint64_t zeros) {
  const auto back = static_cast<std::size_t>(zeros % kMessageHeaderBytes);
  const std::vector<std::byte> rest(bytes.begin(), bytes.end());
  bytes.clear();
  append(bytes, std::vector<std::byte>(back));
  append(bytes, rest);
  notices_.add({Code::message_unknown,
                zeros / kMessageHeaderBytes,
                zeros - back,
                {.offset = offset_},
                "id 0"});
  offset_ += zeros - back;
}

base::result<void> TbfFraming::pass_broken(Buffer& bytes, const Frame& frame) {
  const std::uint64_t begin = offset_;
  const auto skipped = options_.resync ? search(bytes, 1) : drain(bytes);
  if (!skipped) return Unexpected(skipped.error());
  std::string detail = frame.fault == Code::frame_id ? fmt::format("id {:#x}", frame.fault_value)
                       : frame.fault == Code::frame_length
                           ? fmt::format("{} bytes", frame.fault_value)
                           : "the name of an encoding";
  notices_.add(frame.fault, {.offset = begin}, *skipped, std::move(detail));
  offset_ += *skipped;
  return {};
}

// To the next likely message from bytes[at] on, or the end.
base::result<std::uint64_t> TbfFraming::search(Buffer& bytes, std::size_t at) {
  std::uint64_t skipped = 0;
  for (;;) {
    if (at >= bytes.size()) {
      skipped += bytes.size();
      bytes.clear();
      at = 0;
      if (source_ended_) return skipped;
      if (auto done = read_more(bytes, 0); !done) return Unexpected(done.error());
      continue;
    }
    switch (is_likely(Bytes(bytes).subspan(at))) {
      case Likely::no: ++at; continue;
      case Likely::yes: drop_front(bytes, at); return skipped + at;
      case Likely::unclear: break;
    }
    drop_front(bytes, at);
    skipped += at;
    at = 0;
    if (auto done = read_more(bytes, 0); !done) return Unexpected(done.error());
  }
}

TbfFraming::Likely TbfFraming::is_likely(Bytes rest) const {
  constexpr std::size_t kMostLikely = 64 * 1024;  // a larger message is not looked for
  const auto starts = [&](Bytes bytes) {
    if (bytes.size() >= kHeaderBytes && is_restart(bytes)) return true;
    const auto id = load<std::uint16_t>(bytes.data(), state_.order);
    const auto size = load<std::uint32_t>(bytes.data() + 2, state_.order);
    const MessageInfo* message = find_message(id);
    const bool system = (id == kEncodingId || id == kFrequencyId) && size >= 8 && size <= 64;
    return system || (message != nullptr && size <= kMostLikely &&
                      size + kMessageHeaderBytes >= message->least_bytes());
  };
  const auto unclear = source_ended_ ? Likely::no : Likely::unclear;
  if (rest.size() < kHeaderBytes && !source_ended_) return Likely::unclear;
  if (rest.size() < kMessageHeaderBytes || !starts(rest)) return Likely::no;
  StreamState state = state_;
  const Frame frame = find_frame(rest, state, options_.limits, behind());
  if (frame.step == Step::incomplete) return unclear;
  if (frame.step != Step::message && frame.step != Step::header) return Likely::no;
  const Bytes next = rest.subspan(frame.bytes);
  if (next.size() < kHeaderBytes && !source_ended_) return Likely::unclear;
  if (next.empty()) return Likely::yes;
  return next.size() >= kMessageHeaderBytes && starts(next) ? Likely::yes : Likely::no;
}

base::result<std::uint64_t> TbfFraming::drain(Buffer& bytes) {
  std::uint64_t dropped = bytes.size();
  bytes.clear();
  while (!source_ended_) {
    if (auto done = read_more(bytes, 0); !done) return Unexpected(done.error());
    dropped += bytes.size();
    bytes.clear();
  }
  return dropped;
}

void TbfFraming::finish(Bytes rest) {
  const bool zeros =
      std::all_of(rest.begin(), rest.end(), [](std::byte byte) { return byte == std::byte{0}; });
  if (!rest.empty())
    notices_.add(zeros && rest.size() < kMessageHeaderBytes ? Code::padding : Code::frame_truncated,
                 {.offset = offset_, .frame = fmt::format("message {}", frames_)}, rest.size());
  offset_ += rest.size();
  if (!finished_) watch_.tell(notices_);
  finished_ = true;
  if (auto fault = source_.end_fault())
    notices_.add(fault->code, fault->place, 0, std::move(fault->detail));
}

}  // namespace polytrace::format::tptp
