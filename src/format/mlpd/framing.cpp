// SPDX-License-Identifier: Apache-2.0
#include "format/mlpd/framing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/codes.hpp"

namespace polytrace::format::mlpd {
namespace {

using base::Bytes;
using base::Code;
using base::Unexpected;
using Buffer = base::RawArray<std::byte>;

constexpr std::size_t kPiece = 16 * 1024;
constexpr std::size_t kMostAtOnce = 1024 * 1024;  // what a length claims may never come

bool has_id(Bytes rest) { return base::load_le<std::uint32_t>(rest.data()) == kBufferId; }

// Whether what is there could still become a buffer id.
bool may_become_id(Bytes rest) {
  static constexpr std::array<std::byte, 4> kId{std::byte{1}, std::byte{'L'}, std::byte{'P'},
                                                std::byte{'M'}};
  return std::equal(
      rest.begin(),
      rest.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(rest.size(), kId.size())),
      kId.begin());
}

std::int32_t length_of(Bytes rest) { return base::load_le<std::int32_t>(rest.data() + 4); }

std::size_t frame_bytes(Bytes rest) {
  return kBufferHeaderBytes + static_cast<std::size_t>(length_of(rest));
}

// What an incomplete frame lacks, and the header behind it: then hardly anything of the next frame
// is read too early and has to be moved.
std::size_t missing(Bytes rest) {
  if (rest.size() < kBufferHeaderBytes) return 0;
  return frame_bytes(rest) + kBufferHeaderBytes - rest.size();
}

}  // namespace

base::result<bool> Framing::next(event::Chunk& chunk) {
  Buffer& bytes = chunk.bytes;
  bytes.clear();
  bytes.append(tail_);
  tail_.clear();
  std::size_t end = 0;
  std::uint64_t frames = 0;
  for (;;) {
    const Bytes rest = Bytes(bytes).subspan(end);
    const Step found = step(rest);
    if (found == Step::whole) {
      end += frame_bytes(rest);
      ++frames;
      continue;
    }
    if (frames > 0) break;
    if (found == Step::incomplete && source_ended_) return finish(rest), false;
    auto done = found == Step::broken ? skip(bytes) : read_more(bytes, missing(rest));
    if (!done) return Unexpected(done.error());
  }
  tail_.append(Bytes(bytes).subspan(end));
  bytes.cut(end);
  chunk.offset = offset_;
  chunk.sequence = chunks_++;
  chunk.first_frame = frames_;
  offset_ += end;
  frames_ += frames;
  return true;
}

Framing::Step Framing::step(Bytes rest) const {
  if (!may_become_id(rest)) return Step::broken;
  if (rest.size() < kBufferHeaderBytes) return Step::incomplete;
  const std::int32_t length = length_of(rest);
  if (length < 0 || static_cast<std::size_t>(length) > options_.limits.frame_bytes)
    return Step::broken;
  return rest.size() < frame_bytes(rest) ? Step::incomplete : Step::whole;
}

Framing::Broken Framing::why_broken(Bytes rest) const {
  if (rest.size() < kBufferHeaderBytes && source_ended_) return {Code::trailing_bytes, {}};
  if (!may_become_id(rest)) return {Code::frame_id, {}};
  return {Code::frame_length, fmt::format("{} bytes", length_of(rest))};
}

base::result<void> Framing::read_more(Buffer& bytes, std::size_t wanted) {
  const std::size_t room = std::clamp(wanted, kPiece, kMostAtOnce);
  const auto got = base::append_from(source_, bytes, room);
  if (!got) return Unexpected(got.error());
  if (*got == 0) source_ended_ = true;
  return {};
}

base::result<void> Framing::skip(Buffer& bytes) {
  while (bytes.size() < kBufferHeaderBytes && !source_ended_) {
    if (auto done = read_more(bytes); !done) return done;
  }
  Broken why = why_broken(bytes);
  const base::Place where = place();
  const auto skipped = options_.resync ? skip_to_frame(bytes) : drain(bytes);
  if (!skipped) return Unexpected(skipped.error());
  offset_ += *skipped;
  notices_.add(why.code, where, *skipped, std::move(why.detail));
  return {};
}

// A frame id in the wreck can be chance: it counts only when its length leads to another id or to
// the end of the stream.
base::result<std::uint64_t> Framing::skip_to_frame(Buffer& bytes) {
  std::uint64_t skipped = 0;
  std::size_t at = 1;
  for (;;) {
    if (at >= bytes.size()) {
      skipped += bytes.size();
      bytes.clear();
      at = 0;
      if (source_ended_) return skipped;
      if (auto done = read_more(bytes); !done) return Unexpected(done.error());
      continue;
    }
    const Bytes rest = Bytes(bytes).subspan(at);
    const Step found = step(rest);
    const bool certain = found == Step::whole && rest.size() >= frame_bytes(rest) + 4;
    if (certain || (source_ended_ && found == Step::whole && rest.size() == frame_bytes(rest))) {
      if (!certain || has_id(rest.subspan(frame_bytes(rest)))) {
        bytes.drop_front(at);
        return skipped + at;
      }
    } else if (found != Step::broken && !source_ended_) {
      if (auto done = read_more(bytes); !done) return Unexpected(done.error());
      continue;
    }
    ++at;
  }
}

base::result<std::uint64_t> Framing::drain(Buffer& bytes) {
  std::uint64_t dropped = bytes.size();
  bytes.clear();
  while (!source_ended_) {
    if (auto done = read_more(bytes); !done) return Unexpected(done.error());
    dropped += bytes.size();
    bytes.clear();
  }
  return dropped;
}

void Framing::finish(Bytes rest) {
  if (!rest.empty()) notices_.add(Code::frame_truncated, place(), rest.size());
  offset_ += rest.size();
  if (auto fault = source_.end_fault())
    notices_.add(fault->code, fault->place, 0, std::move(fault->detail));
}

base::Place Framing::place() const {
  return {.offset = offset_, .frame = fmt::format("buffer {}", frames_)};
}

}  // namespace polytrace::format::mlpd
