// SPDX-License-Identifier: Apache-2.0
#include "format/native/framing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "base/io/crc32c.hpp"
#include "event/batch.hpp"
#include "format/native/wire/record_encoder.hpp"

namespace polytrace::format::native {
namespace {

using base::Bytes;
using base::Code;
using event::Cut;
using event::Likely;

constexpr std::size_t kHeader = sizeof(BlockHeader);
constexpr std::size_t kMark = sizeof(BlockHeader::mark);
constexpr std::size_t kEnough = 64 * 1024;  // of a chunk
// Of a chunk: each can bring so many threads, and those of a batch are few.
constexpr std::size_t kMostBlocks =
    (event::Batch::kMaxThreads - 1) / (RecordEncoder::kMostThreads + 1);

bool changes_context(const BlockHeader& header) {
  return header.content == Content::clock || header.content == Content::sites;
}

std::size_t block_bytes(Bytes rest) { return kHeader + load_header(rest.data()).length; }

}  // namespace

// A chunk's context holds for all its blocks, so none that changes it stands behind events.
bool BlockRules::goes_on(Bytes rest, std::size_t bytes, std::uint64_t blocks) const {
  if (blocks == kMostBlocks || bytes >= kEnough) return false;
  return !has_events_ || rest.size() < kHeader || !changes_context(load_header(rest.data()));
}

Cut BlockRules::look(Bytes rest, std::uint64_t, bool ended) {
  seen_ = step(rest);
  if (seen_ == Step::whole) return Cut::whole(block_bytes(rest));
  if (seen_ != Step::incomplete) return Cut::broken();
  if (ended) return has_header_behind(rest) ? Cut::broken() : Cut::incomplete();
  return rest.size() < kHeader ? Cut::incomplete()
                               : Cut::incomplete(block_bytes(rest) + kHeader - rest.size());
}

bool BlockRules::is_header(Bytes rest) const {
  const BlockHeader header = load_header(rest.data());
  return header.mark == kBlockMark &&
         header.crc == base::crc32c(rest.first(kHeader - sizeof header.crc)) &&
         header.length <= std::min<std::size_t>(kMaxPayload, most_bytes_);
}

BlockRules::Step BlockRules::step(Bytes rest) const {
  const std::uint32_t mark = kBlockMark;
  if (std::memcmp(rest.data(), &mark, std::min(rest.size(), kMark)) != 0) return Step::no_block;
  if (rest.size() < kHeader) return Step::incomplete;
  if (!is_header(rest)) return Step::no_block;
  const BlockHeader header = load_header(rest.data());
  if (rest.size() < block_bytes(rest)) return Step::incomplete;
  return base::crc32c(rest.subspan(kHeader, header.length)) == header.payload_crc
             ? Step::whole
             : Step::wrong_payload;
}

void BlockRules::take(Bytes block, std::uint64_t offset, base::Notices& notices) {
  const BlockHeader header = load_header(block.data());
  if (header.index != next_index_)
    notices.add(Code::blocks_missing, {.offset = offset}, 0,
                fmt::format("block {} where {} should stand", header.index, next_index_));
  next_index_ = header.index + 1;
  ended_ = header.content == Content::end;
  if (header.content == Content::events) {
    has_events_ = true;
    segments_taken_.add(header);
  }
  if (!changes_context(header)) return;
  auto changed = std::make_shared<Context>(*context_);
  changed->learn(header.content, block.subspan(kHeader));
  context_ = std::move(changed);
}

Likely BlockRules::likely(Bytes rest, bool ended) const {
  if (rest[0] != static_cast<std::byte>(kBlockMark & 0xff)) return Likely::no;
  if (rest.size() < kHeader) return ended ? Likely::no : Likely::unclear;
  return is_header(rest) ? Likely::yes : Likely::no;
}

bool BlockRules::has_header_behind(Bytes rest) const {
  for (std::size_t at = 1; at + kHeader <= rest.size(); ++at)
    if (likely(rest.subspan(at), true) == Likely::yes) return true;
  return false;
}

// To the next header, or to the end.
base::result<void> BlockRules::pass(event::FrameStream& stream) {
  base::Error fault{Code::block_damaged, place(stream), {}};
  if (seen_ == Step::wrong_payload) {
    const BlockHeader header = load_header(stream.rest().data());
    fault.code = Code::block_checksum;
    fault.detail = fmt::format("block {} with {} events", header.index, header.events);
    next_index_ = header.index + 1;
  }
  return stream.lose_to_next(std::move(fault), 1,
                             [this](Bytes rest, bool ended) { return likely(rest, ended); });
}

void BlockRules::end(event::FrameStream& stream, bool cut_off) {
  if (!stream.rest().empty()) {
    stream.notices().add(Code::frame_truncated, place(stream), stream.rest().size());
    ended_ = false;
  }
  if (cut_off) ended_ = true;
}

base::Place BlockRules::place(const event::FrameStream& stream) const {
  return {.offset = stream.offset(), .frame = fmt::format("block {}", next_index_)};
}

}  // namespace polytrace::format::native
