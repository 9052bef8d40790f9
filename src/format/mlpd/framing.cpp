// SPDX-License-Identifier: Apache-2.0
#include "format/mlpd/framing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/codes.hpp"

namespace polytrace::format::mlpd {
namespace {

using base::Bytes;
using base::Code;
using event::Cut;
using event::Likely;

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

base::Error why_broken(const event::FrameStream& stream) {
  const Bytes rest = stream.rest();
  base::Place place{.offset = stream.offset(), .frame = fmt::format("buffer {}", stream.frames())};
  if (rest.size() < kBufferHeaderBytes) return {Code::trailing_bytes, std::move(place), {}};
  if (!may_become_id(rest)) return {Code::frame_id, std::move(place), {}};
  return {Code::frame_length, std::move(place), fmt::format("{} bytes", length_of(rest))};
}

}  // namespace

// Why it is no buffer is only told when there is a header, or nothing comes any more.
Cut BufferRules::look(Bytes rest, std::uint64_t, bool ended) const {
  const Cut cut = look_at(rest);
  const bool early = cut.what == Cut::What::broken && rest.size() < kBufferHeaderBytes && !ended;
  return early ? Cut::incomplete() : cut;
}

// What an incomplete buffer lacks, and the header behind it: then hardly anything of the next one
// is read too early and has to be moved.
Cut BufferRules::look_at(Bytes rest) const {
  if (!may_become_id(rest)) return Cut::broken();
  if (rest.size() < kBufferHeaderBytes) return Cut::incomplete();
  const std::int32_t length = length_of(rest);
  if (length < 0 || static_cast<std::size_t>(length) > most_bytes_) return Cut::broken();
  const std::size_t bytes = frame_bytes(rest);
  return rest.size() < bytes ? Cut::incomplete(bytes + kBufferHeaderBytes - rest.size())
                             : Cut::whole(bytes);
}

base::result<void> BufferRules::pass(event::FrameStream& stream) const {
  return stream.lose(why_broken(stream), 1,
                     [this](Bytes rest, bool ended) { return likely(rest, ended); });
}

// A buffer id in the wreck can be chance: it counts only when its length leads to another id or to
// the end of the stream.
Likely BufferRules::likely(Bytes rest, bool ended) const {
  const Cut cut = look_at(rest);
  if (cut.what == Cut::What::broken) return Likely::no;
  if (cut.what == Cut::What::whole) {
    const Bytes next = rest.subspan(cut.bytes);
    if (next.size() >= sizeof kBufferId) return has_id(next) ? Likely::yes : Likely::no;
    if (next.empty() && ended) return Likely::yes;
  }
  return ended ? Likely::no : Likely::unclear;
}

void BufferRules::end(event::FrameStream& stream, bool) const {
  if (stream.rest().empty()) return;
  stream.notices().add(
      Code::frame_truncated,
      {.offset = stream.offset(), .frame = fmt::format("buffer {}", stream.frames())},
      stream.rest().size());
}

}  // namespace polytrace::format::mlpd
