// SPDX-License-Identifier: Apache-2.0
#include "base/frames/frames.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "base/codes.hpp"
#include "base/frames/fixed_record.hpp"
#include "base/io/crc32c.hpp"
#include "base/io/cursor.hpp"
#include "base/large_pages.hpp"

namespace polytrace::base {
namespace {

constexpr std::size_t kHeadSumAt = kFrameHeadSize - 4;

Place frame_place(std::uint64_t offset, std::string frame = {}) {
  return {.offset = offset, .frame = std::move(frame)};
}

struct FrameUnpacker {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// Takes memory for what really comes out, whatever the length that the frame claims: beyond what is
// usual for its size it grows.
result<Bytes> inflate_frame(const Frame& frame, RawArray<std::byte>& room, std::uint64_t most) {
  const auto place = frame_place(frame.offset, frame_name(frame.head.kind));
  if (frame.payload.size() < sizeof(std::uint64_t)) return fail(Code::field_past_end, {}, place);
  const auto raw = load_le<std::uint64_t>(frame.payload.data());
  if (raw > most) return fail(Code::limit_exceeded, fmt::format("{} bytes", raw), place);
  const Bytes packed = frame.payload.subspan(sizeof raw);
  const std::unique_ptr<ZSTD_DCtx, FrameUnpacker> context(ZSTD_createDCtx());
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::size_t left = 1;
  room.clear();
  while (left != 0) {
    constexpr std::size_t kStep = std::size_t{1} << 20;
    constexpr std::size_t kUsual = 64;
    const std::size_t done = room.size();
    const std::size_t step = std::max({done, kStep, packed.size() * kUsual});
    const std::size_t more = std::min<std::uint64_t>(raw - done, step);
    ZSTD_outBuffer out{room.room(more), more, 0};
    want_large_pages(out.dst, out.size);
    const std::size_t before = in.pos;
    left = ZSTD_decompressStream(context.get(), &out, &in);
    const bool stuck = out.pos == 0 && in.pos == before;
    if (ZSTD_isError(left) != 0 || (left != 0 && stuck))
      return fail(Code::compressed_damaged, {}, place);
    room.grew_to(room.end() + out.pos);
    if (left == 0 && room.size() != raw) return fail(Code::compressed_damaged, "length", place);
  }
  if (in.pos != in.size) return fail(Code::compressed_damaged, "length", place);
  return Bytes(room);
}

}  // namespace

std::string frame_name(std::uint32_t kind) {
  std::string name(reinterpret_cast<const char*>(&kind), sizeof kind);
  for (char& letter : name) {
    if (letter < ' ' || letter > '~') letter = '?';
  }
  return name;
}

std::array<std::byte, kFrameHeadSize> encode(const FrameHead& head) {
  FixedRecord<kFrameHeadSize> record;
  return record.put(head.kind).put(head.flags).put(head.length).put(head.checksum).sum().bytes();
}

result<Frame> frame_at(Bytes file, std::uint64_t offset, bool trust) {
  if (offset > file.size() || file.size() - offset < kFrameHeadSize)
    return fail(Code::frame_truncated, {}, frame_place(offset));
  const Bytes head = file.subspan(offset, kFrameHeadSize);
  Cursor in(head, offset);
  Frame frame{.offset = offset};
  frame.head.kind = in.fixed<std::uint32_t>();
  frame.head.flags = in.fixed<std::uint32_t>();
  frame.head.length = in.fixed<std::uint64_t>();
  frame.head.checksum = in.fixed<std::uint32_t>();
  if (!trust && in.fixed<std::uint32_t>() != crc32c(head.first(kHeadSumAt)))
    return fail(Code::checksum_wrong, "of a frame's head", frame_place(offset));
  const auto place = frame_place(offset, frame_name(frame.head.kind));
  if ((frame.head.flags & ~FrameHead::kCompressed) != 0)
    return fail(Code::value_unexpected, fmt::format("flags {:#x}", frame.head.flags), place);
  if (frame.head.length > file.size() - offset - kFrameHeadSize)
    return fail(Code::frame_truncated, {}, place);
  frame.payload = file.subspan(offset + kFrameHeadSize, frame.head.length);
  if (!trust && crc32c(frame.payload) != frame.head.checksum)
    return fail(Code::checksum_wrong, {}, place);
  return frame;
}

result<Bytes> content(const Frame& frame, RawArray<std::byte>& room, std::uint64_t most) {
  if ((frame.head.flags & FrameHead::kCompressed) == 0) return frame.payload;
  return inflate_frame(frame, room, most);
}

}  // namespace polytrace::base
