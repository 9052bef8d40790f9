// SPDX-License-Identifier: Apache-2.0
#include "format/monoblock/read/framing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"

namespace polytrace::format::monoblock {
namespace {

using base::Bytes;
using base::Code;
using base::Unexpected;

constexpr std::size_t kPiece = 64 * 1024;
constexpr std::size_t kMostAtOnce = 1024 * 1024;  // what a size claims may never come
// Each block can bring a thread of its own, and those of a batch are few.
constexpr std::uint64_t kMostBlocks = 4096;

}  // namespace

base::result<bool> Framing::next(event::Chunk& chunk) {
  Buffer& bytes = chunk.bytes;
  bytes.clear();
  bytes.append(tail_);
  tail_.clear();
  std::uint64_t blocks = 0;
  std::size_t end = 0;
  if (chunks_ == 0 && !source_ended_) {  // the head alone would make a small chunk
    if (auto done = read_more(bytes); !done) return Unexpected(done.error());
  }
  for (;;) {
    end = whole_blocks(bytes, blocks);
    if (blocks > 0) break;
    if (broken_ || source_ended_) return finish(bytes);
    if (auto done = read_more(bytes); !done) return Unexpected(done.error());
  }
  tail_.append(Bytes(bytes).subspan(end));
  bytes.cut(end);
  chunk.offset = offset_;
  chunk.sequence = chunks_++;
  chunk.first_frame = blocks_;
  chunk.context = state_;
  learn(bytes);
  offset_ += end;
  blocks_ += blocks;
  return true;
}

std::size_t Framing::whole_blocks(Bytes bytes, std::uint64_t& blocks) {
  std::size_t end = 0;
  while (bytes.size() - end >= file_.header_bytes() && blocks < kMostBlocks) {
    const std::size_t size = block_bytes(file_, bytes.subspan(end), limits_);
    broken_ = size == 0;
    if (broken_ || size > bytes.size() - end) break;
    end += size;
    ++blocks;
  }
  return end;
}

// A block that is begun is fetched whole, if it is there.
base::result<void> Framing::read_more(Buffer& bytes) {
  std::size_t wanted = kPiece;
  const bool begun = bytes.size() >= file_.header_bytes();
  const std::size_t block = begun ? block_bytes(file_, bytes, limits_) : 0;
  if (block > bytes.size()) wanted = block - bytes.size() + file_.header_bytes();
  const std::size_t room = std::clamp(wanted, kPiece, kMostAtOnce);
  const auto got = base::append_from(source_, bytes, room);
  if (!got) return Unexpected(got.error());
  if (*got == 0) source_ended_ = true;
  return {};
}

void Framing::learn(Bytes blocks) {
  std::shared_ptr<State> changed;
  while (!blocks.empty()) {
    const BlockCode code = block_code(blocks);
    const std::size_t size = block_bytes(file_, blocks, limits_);
    if (State::matters(code)) {
      if (!changed) changed = std::make_shared<State>(*state_);
      changed->learn(file_, code, blocks.first(size).subspan(file_.header_bytes()));
    }
    if (code == BlockCode::end) end_seen_ = true;
    blocks = blocks.subspan(size);
  }
  if (changed) state_ = std::move(changed);
}

// Blocks have no mark by which the next one could be found.
base::result<void> Framing::drain(Buffer& bytes) {
  const base::Place where = place();
  std::string detail = fmt::format("a size of {}", base::load_le<std::uint32_t>(bytes.data() + 2));
  std::uint64_t dropped = bytes.size();
  bytes.clear();
  while (!source_ended_) {
    if (auto done = read_more(bytes); !done) return done;
    dropped += bytes.size();
    bytes.clear();
  }
  notices_.add(Code::frame_length, where, dropped, std::move(detail));
  return {};
}

base::result<bool> Framing::finish(Buffer& bytes) {
  const auto fault = source_.end_fault();
  if (broken_) {
    broken_ = false;
    if (auto done = drain(bytes); !done) return Unexpected(done.error());
  } else if (!bytes.empty()) {
    notices_.add(Code::frame_truncated, place(), bytes.size());
  } else if (!end_seen_ && !fault) {
    notices_.add(Code::end_missing, place(), 0);
  }
  offset_ += bytes.size();
  bytes.clear();
  end_seen_ = true;
  if (fault) notices_.add(fault->code, fault->place, 0, fault->detail);
  return false;
}

base::Place Framing::place() const {
  return {.offset = offset_, .frame = fmt::format("block {}", blocks_)};
}

}  // namespace polytrace::format::monoblock
