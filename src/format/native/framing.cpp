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
using base::Unexpected;

constexpr std::size_t kHeader = sizeof(BlockHeader);
constexpr std::size_t kMark = sizeof(BlockHeader::mark);
constexpr std::size_t kPiece = 16 * 1024;
constexpr std::size_t kMostAtOnce = 1024 * 1024;  // what a length claims may never come
constexpr std::size_t kEnough = 64 * 1024;        // of a chunk
// Of a chunk: each can bring so many threads, and those of a batch are few.
constexpr std::size_t kMostBlocks =
    (event::Batch::kMaxThreads - 1) / (RecordEncoder::kMostThreads + 1);

std::size_t block_bytes(Bytes rest) { return kHeader + load_header(rest.data()).length; }

}  // namespace

base::result<bool> Framing::next(event::Chunk& chunk) {
  Buffer& bytes = chunk.bytes;
  bytes.clear();
  bytes.append(tail_);
  tail_.clear();
  chunk.offset = offset_;
  std::size_t end = 0;
  std::uint64_t blocks = 0;
  for (bool events = false; blocks < kMostBlocks && end < kEnough;) {
    const Bytes rest = Bytes(bytes).subspan(end);
    const Step found = step(rest);
    if (found == Step::whole) {
      const BlockHeader header = load_header(rest.data());
      if (blocks != 0 && !joins(header, events)) break;
      events = events || header.content == Content::kEvents;
      take(header, rest.subspan(kHeader, header.length), offset_ + end);
      end += block_bytes(rest);
      ++blocks;
      continue;
    }
    if (blocks != 0) break;
    if (found == Step::incomplete && source_ended_ && finish(bytes)) return false;
    const bool known = found == Step::incomplete && rest.size() >= kHeader;
    auto done = found == Step::incomplete && !source_ended_
                    ? read_more(bytes, known ? block_bytes(rest) + kHeader - rest.size() : 0)
                    : skip(bytes, found);
    if (!done) return Unexpected(done.error());
    chunk.offset = offset_;
  }
  tail_.append(Bytes(bytes).subspan(end));
  bytes.cut(end);
  chunk.sequence = chunks_++;
  chunk.first_frame = blocks_;
  chunk.context = context_;
  offset_ += end;
  blocks_ += blocks;
  return true;
}

bool Framing::is_header(Bytes rest) const {
  const BlockHeader header = load_header(rest.data());
  return header.mark == kBlockMark &&
         header.crc == base::crc32c(rest.first(kHeader - sizeof header.crc)) &&
         header.length <= std::min<std::size_t>(kMaxPayload, options_.limits.frame_bytes);
}

Framing::Step Framing::step(Bytes rest) const {
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

// A chunk's context holds for all its blocks, so none that changes it stands behind events.
bool Framing::joins(const BlockHeader& header, bool events) const {
  return !events || (header.content != Content::kClock && header.content != Content::kSites);
}

void Framing::take(const BlockHeader& header, Bytes payload, std::uint64_t offset) {
  if (header.index != next_index_)
    notices_.add(Code::blocks_missing, {.offset = offset}, 0,
                 fmt::format("block {} where {} should stand", header.index, next_index_));
  next_index_ = header.index + 1;
  ended_ = header.content == Content::kEnd;
  if (header.content == Content::kEvents) segments_taken_.add(header);
  if (header.content != Content::kClock && header.content != Content::kSites) return;
  auto changed = std::make_shared<Context>(*context_);
  changed->learn(header.content, payload);
  context_ = std::move(changed);
}

base::result<void> Framing::read_more(Buffer& bytes, std::size_t wanted) {
  const std::size_t room = std::clamp(wanted, kPiece, kMostAtOnce);
  const auto got = base::append_from(source_, bytes, room);
  if (!got) return Unexpected(got.error());
  if (*got == 0) source_ended_ = true;
  return {};
}

// Where a header stands in `bytes` from `from` on; where one could still begin, if there is none.
std::size_t Framing::find_header(Bytes bytes, std::size_t from) const {
  const auto begin = static_cast<std::byte>(kBlockMark & 0xff);
  for (std::size_t at = from; at < bytes.size(); ++at) {
    const auto found =
        std::find(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end(), begin);
    at = static_cast<std::size_t>(found - bytes.begin());
    if (bytes.size() - at < kHeader || is_header(bytes.subspan(at))) return at;
  }
  return bytes.size();
}

// From bytes that are no whole block to the next header, or to the end.
base::result<void> Framing::skip(Buffer& bytes, Step why) {
  const base::Place where = place();
  std::string detail;
  if (why == Step::wrong_payload) {
    const BlockHeader header = load_header(bytes.data());
    detail = fmt::format("block {} with {} events", header.index, header.events);
    next_index_ = header.index + 1;
  }
  std::uint64_t skipped = 0;
  for (std::size_t from = 1;; from = 0) {
    const std::size_t at = find_header(bytes, from);
    skipped += at;
    bytes.drop_front(at);
    if (bytes.size() >= kHeader) break;
    if (source_ended_) {
      skipped += bytes.size();
      bytes.clear();
      break;
    }
    if (auto done = read_more(bytes, 0); !done) return done;
  }
  offset_ += skipped;
  notices_.add(why == Step::wrong_payload ? Code::block_checksum : Code::block_damaged, where,
               skipped, std::move(detail));
  return {};
}

// At the end of the source: what is left is no whole block. False if there is one further in it.
bool Framing::finish(Buffer& bytes) {
  if (bytes.size() > kHeader && bytes.size() - find_header(bytes, 1) >= kHeader) return false;
  if (!bytes.empty()) {
    notices_.add(Code::frame_truncated, place(), bytes.size());
    ended_ = false;
  }
  offset_ += bytes.size();
  bytes.clear();
  if (const auto fault = source_.end_fault()) {
    notices_.add(fault->code, fault->place, 0, fault->detail);
    ended_ = true;
  }
  return true;
}

base::Place Framing::place() const {
  return {.offset = offset_, .frame = fmt::format("block {}", next_index_)};
}

}  // namespace polytrace::format::native
