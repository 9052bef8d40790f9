// SPDX-License-Identifier: Apache-2.0
#include "store/file/page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "base/frames/fixed_record.hpp"
#include "base/io/cursor.hpp"

namespace polytrace::store {
namespace {

using base::Bytes;
using base::Code;
using base::fail;

constexpr std::array<unsigned char, 8> kPageMagic{0x89, 'P', 'T', 'I', 'X', '\r', '\n', 0x1a};
constexpr std::size_t kFormatAt = 136;
constexpr std::size_t kFormatBytes = 32;
constexpr std::size_t kPageSumAt = kPageHeadBytes - 4;
constexpr std::size_t kSlotSumAt = kSlotBytes - 4;
constexpr std::uint64_t kSlotStep = 512;

std::array<std::byte, kFormatBytes> padded(std::string_view text) {
  std::array<std::byte, kFormatBytes> room{};
  std::memcpy(room.data(), text.data(), std::min(text.size(), room.size()));
  return room;
}

std::string unpadded(Bytes bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return std::string(text.substr(0, text.find('\0')));
}

base::Place page_place(std::uint64_t offset) { return {.offset = offset, .frame = "page 0"}; }

PageHead take_page_head(base::Cursor& in) {
  PageHead head;
  head.required = in.fixed<std::uint64_t>();
  head.optional = in.fixed<std::uint64_t>();
  head.id = in.fixed<Digest>();
  head.fingerprint = in.fixed<Digest>();
  head.covered = in.fixed<Digest>();
  head.whole = in.fixed<Digest>();
  head.source.size = in.fixed<std::uint64_t>();
  head.source.device = in.fixed<std::uint64_t>();
  head.source.inode = in.fixed<std::uint64_t>();
  head.source.modified = in.fixed<std::int64_t>();
  head.rules = in.fixed<std::uint32_t>();
  head.kinds = in.fixed<std::uint32_t>();
  head.format = unpadded(in.bytes(kFormatBytes));
  head.live = in.fixed<std::uint64_t>();
  head.source.changed = in.fixed<std::int64_t>();
  head.looked = in.fixed<std::int64_t>();
  return head;
}

std::optional<Slot> slot_at(Bytes page, std::uint64_t offset) {
  if (page.size() < offset + kSlotBytes) return std::nullopt;
  const Bytes bytes = page.subspan(offset, kSlotBytes);
  const auto sum = base::load_le<std::uint32_t>(bytes.data() + kSlotSumAt);
  if (sum != base::crc32c(bytes.first(kSlotSumAt))) return std::nullopt;
  base::Cursor in(bytes, offset);
  Slot slot;
  slot.sequence = in.fixed<std::uint64_t>();
  slot.root = in.fixed<std::uint64_t>();
  slot.root_length = in.fixed<std::uint32_t>();
  slot.state = static_cast<IndexState>(in.fixed<std::uint32_t>());
  slot.source_bytes = in.fixed<std::uint64_t>();
  slot.events = in.fixed<std::uint64_t>();
  slot.watermark = in.fixed<base::Time>();
  slot.length = in.fixed<std::uint64_t>();
  const bool known = slot.state >= IndexState::building && slot.state <= IndexState::complete;
  // Zeros with the sum of zeros are no slot, and a slot stands at its own place only.
  if (slot.sequence == 0 || slot_offset(slot.sequence) != offset || !known) return std::nullopt;
  return slot;
}

}  // namespace

std::array<std::byte, kPageHeadBytes> encode(const PageHead& head) {
  base::FixedRecord<kPageHeadBytes> record;
  record.put(kPageMagic).put(kMajor).put(kMinor);
  record.put(static_cast<std::uint32_t>(kPageHeadBytes)).put(head.required).put(head.optional);
  record.put(head.id).put(head.fingerprint).put(head.covered).put(head.whole);
  record.put(head.source.size).put(head.source.device).put(head.source.inode);
  record.put(head.source.modified).put(head.rules).put(head.kinds).put(padded(head.format));
  record.put(head.live).put(head.source.changed).put(head.looked);
  record.put(std::array<std::byte, kPageSumAt - kFormatAt - kFormatBytes - 24>{});
  return record.sum().bytes();
}

base::result<PageHead> decode_page_head(Bytes file) {
  if (file.size() < kPageMagic.size() ||
      std::memcmp(file.data(), kPageMagic.data(), kPageMagic.size()) != 0)
    return fail(Code::not_recognised);
  if (file.size() < kPageBytes) return fail(Code::header_truncated);
  base::Cursor in(file.first(kPageHeadBytes), 0);
  in.fixed<std::uint64_t>();  // the magic
  const auto major = in.fixed<std::uint16_t>();
  const auto minor = in.fixed<std::uint16_t>();
  in.fixed<std::uint32_t>();  // the size of this head
  if (major != kMajor)
    return fail(Code::version_unsupported,
                fmt::format("index {}.{}, known up to {}.x", major, minor, kMajor), page_place(8));
  const auto sum = base::load_le<std::uint32_t>(file.data() + kPageSumAt);
  if (sum != base::crc32c(file.first(kPageSumAt)))
    return fail(Code::checksum_wrong, {}, page_place(kPageSumAt));
  PageHead head = take_page_head(in);
  if ((head.required & ~std::uint64_t{kFeaturesKnown}) != 0)
    return fail(Code::feature_unknown, fmt::format("feature bits {:#x}", head.required),
                page_place(16));
  return head;
}

std::array<std::byte, kSlotBytes> encode(const Slot& slot) {
  base::FixedRecord<kSlotBytes> record;
  record.put(slot.sequence).put(slot.root).put(slot.root_length).put(slot.state);
  record.put(slot.source_bytes).put(slot.events).put(slot.watermark).put(slot.length);
  return record.put(std::uint32_t{0}).sum().bytes();
}

std::uint64_t slot_offset(std::uint64_t sequence) { return kSlotStep * (1 + sequence % 2); }

std::optional<Slot> slot_of(Bytes page, std::uint64_t parity) {
  return slot_at(page, slot_offset(parity));
}

}  // namespace polytrace::store
