// SPDX-License-Identifier: Apache-2.0
#include "history/layout/container.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/codes.hpp"
#include "base/frames/fixed_record.hpp"
#include "base/io/crc32c.hpp"
#include "base/io/cursor.hpp"

namespace polytrace::history {
namespace {

using base::Bytes;
using base::Code;
using base::fail;

constexpr std::array<unsigned char, 8> kMagic{0x89, 'S', 'T', 'H', '\r', '\n', 0x1a, '\n'};
constexpr std::int64_t kNoClock = INT64_MIN;
constexpr std::size_t kHeaderSumAt = kHeaderSize - 4;

bool is_magic(Bytes bytes, bool reversed = false) {
  auto magic = kMagic;
  if (reversed) std::ranges::reverse(magic);
  return std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

base::Place at_offset(std::uint64_t offset, std::string frame = {}) {
  return {.offset = offset, .frame = std::move(frame)};
}

base::result<void> check(const FileHeader& header) {
  if (header.size < kHeaderSize || header.ticks_per_second == 0 || header.start == kBeingBuilt)
    return fail(Code::header_invalid, {}, at_offset(0));
  if (header.layout != Layout::stream && header.layout != Layout::segmented)
    return fail(Code::header_invalid,
                fmt::format("layout {}", static_cast<unsigned>(header.layout)), at_offset(14));
  if (header.end != kBeingBuilt && header.end < header.start)
    return fail(Code::header_invalid, "it ends before it starts", at_offset(40));
  if ((header.required & ~std::uint64_t{kFeaturesKnown}) != 0)
    return fail(Code::feature_unknown, fmt::format("feature bits {:#x}", header.required),
                at_offset(16));
  return {};
}

base::Unexpected other_version(const FileHeader& header) {
  return fail(
      Code::version_unsupported,
      fmt::format("state history {}.{}, known up to {}.x", header.major, header.minor, kMajor),
      at_offset(8));
}

FileHeader take_header(base::Cursor& in) {
  FileHeader header;
  in.fixed<std::uint64_t>();  // the magic
  header.major = in.fixed<std::uint16_t>();
  header.minor = in.fixed<std::uint16_t>();
  header.size = in.fixed<std::uint16_t>();
  header.layout = static_cast<Layout>(in.fixed<std::uint16_t>());
  header.required = in.fixed<std::uint64_t>();
  header.optional = in.fixed<std::uint64_t>();
  header.start = in.fixed<Tick>();
  header.end = in.fixed<Tick>();
  header.ticks_per_second = in.fixed<std::uint64_t>();
  if (const auto offset = in.fixed<std::int64_t>(); offset != kNoClock)
    header.clock_offset = offset;
  header.id = in.fixed<HistoryId>();
  header.footer_offset = in.fixed<std::uint64_t>();
  in.fixed<std::uint64_t>();  // 0 and the checksum
  return header;
}

SegmentPlace take_segment(base::Cursor& in) {
  SegmentPlace place;
  place.first = in.fixed<Tick>();
  place.last = in.fixed<Tick>();
  place.offset = in.fixed<std::uint64_t>();
  place.length = in.fixed<std::uint64_t>();
  place.exit = in.fixed<std::uint64_t>();
  place.changes = in.fixed<std::uint64_t>();
  return place;
}

std::vector<std::uint64_t> take_offsets(base::Cursor& in) {
  std::vector<std::uint64_t> offsets;
  const auto count = in.fixed<std::uint32_t>();
  if (!in.fits(count, sizeof(std::uint64_t))) return offsets;
  offsets.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) offsets.push_back(in.fixed<std::uint64_t>());
  return offsets;
}

void put_offsets(const std::vector<std::uint64_t>& offsets, base::Appender& to) {
  to.fixed(static_cast<std::uint32_t>(offsets.size()));
  for (const std::uint64_t offset : offsets) to.fixed(offset);
}

base::result<Footer> decode_footer(const base::Frame& frame) {
  auto header = decode_header(frame.payload);
  if (!header) return tl::unexpected(header.error());
  base::Cursor in(frame.payload, frame.offset + base::kFrameHeadSize);
  Footer footer{.header = take_header(in)};
  const auto segments = in.fixed<std::uint32_t>();
  footer.keys = in.fixed<std::uint32_t>();
  footer.intervals = in.fixed<std::uint64_t>();
  footer.strings = in.fixed<std::uint64_t>();
  constexpr std::size_t kPlaceSize = 48;
  if (in.fits(segments, kPlaceSize)) {
    footer.segments.reserve(segments);
    for (std::uint32_t i = 0; i < segments; ++i) footer.segments.push_back(take_segment(in));
  }
  footer.key_frames = take_offsets(in);
  footer.string_frames = take_offsets(in);
  if (!in.ok()) return fail(in.fault_code(), {}, at_offset(in.fault_offset(), "FOOT"));
  return footer;
}

}  // namespace

std::array<std::byte, kHeaderSize> encode(const FileHeader& header) {
  base::FixedRecord<kHeaderSize> record;
  record.put(kMagic).put(header.major).put(header.minor).put(header.size).put(header.layout);
  record.put(header.required).put(header.optional).put(header.start).put(header.end);
  record.put(header.ticks_per_second).put(header.clock_offset.value_or(kNoClock)).put(header.id);
  return record.put(header.footer_offset).put(std::uint32_t{0}).sum().bytes();
}

bool is_history(Bytes head) { return head.size() >= kMagic.size() && is_magic(head); }

base::result<FileHeader> decode_header(Bytes file, bool trust) {
  if (!is_history(file)) return fail(Code::not_recognised);
  if (file.size() < kHeaderSize) return fail(Code::header_truncated);
  base::Cursor in(file.first(kHeaderSize), 0);
  const FileHeader header = take_header(in);
  const auto sum = base::load_le<std::uint32_t>(file.data() + kHeaderSumAt);
  if (!trust && sum != base::crc32c(file.first(kHeaderSumAt))) {
    // A later version may keep its checksum elsewhere.
    if (header.major > kMajor) return other_version(header);
    return fail(Code::checksum_wrong, "of the header", at_offset(kHeaderSumAt));
  }
  if (header.major != kMajor) return other_version(header);
  if (auto good = check(header); !good) return tl::unexpected(good.error());
  return header;
}

void encode(const Footer& footer, base::Appender& to) {
  to.bytes(encode(footer.header));
  to.fixed(static_cast<std::uint32_t>(footer.segments.size()));
  to.fixed(footer.keys);
  to.fixed(footer.intervals);
  to.fixed(footer.strings);
  for (const SegmentPlace& place : footer.segments) {
    to.fixed(place.first);
    to.fixed(place.last);
    to.fixed(place.offset);
    to.fixed(place.length);
    to.fixed(place.exit);
    to.fixed(place.changes);
  }
  put_offsets(footer.key_frames, to);
  put_offsets(footer.string_frames, to);
}

base::result<std::optional<Footer>> find_footer(Bytes file) {
  if (file.size() < kHeaderSize + kTrailerSize) return std::nullopt;
  const Bytes trailer = file.last(kTrailerSize);
  if (!is_magic(trailer.subspan(16), true)) return std::nullopt;
  const auto offset = base::load_le<std::uint64_t>(trailer.data());
  const auto length = base::load_le<std::uint32_t>(trailer.data() + 8);
  const auto place = at_offset(file.size() - kTrailerSize, "trailer");
  if (base::load_le<std::uint32_t>(trailer.data() + 12) != base::crc32c(trailer.first(12)))
    return fail(Code::checksum_wrong, {}, place);
  auto frame = base::frame_at(file.first(file.size() - kTrailerSize), offset);
  if (!frame) return tl::unexpected(frame.error());
  if (frame->head.kind != kFooterFrame || frame->end() - offset != length)
    return fail(Code::offset_invalid, {}, place);
  auto footer = decode_footer(*frame);
  if (!footer) return tl::unexpected(footer.error());
  return std::optional(std::move(*footer));
}

std::array<std::byte, kTrailerSize> encode_trailer(std::uint64_t offset, std::uint32_t length) {
  auto magic = kMagic;
  std::ranges::reverse(magic);
  base::FixedRecord<kTrailerSize> record;
  return record.put(offset).put(length).sum().put(magic).bytes();
}

}  // namespace polytrace::history
