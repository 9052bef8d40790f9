// SPDX-License-Identifier: Apache-2.0
#include "format/monoblock/read/reader.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/codes.hpp"
#include "format/monoblock/read/block_reader.hpp"

namespace polytrace::format::monoblock {
namespace {

using base::Bytes;
using base::Code;
using event::Cut;

// Each block can bring a thread of its own, and those of a batch are few.
constexpr std::uint64_t kMostBlocks = 4096;

base::Place block_place(const event::FrameStream& stream) {
  return {.offset = stream.offset(), .frame = fmt::format("block {}", stream.frames())};
}

}  // namespace

void BlockRules::begin_chunk() {
  if (changed_) before_ = std::move(changed_);
}

bool BlockRules::goes_on(Bytes, std::size_t, std::uint64_t blocks) const {
  return blocks < kMostBlocks;
}

Cut BlockRules::look(Bytes rest, std::uint64_t, bool) const {
  const std::size_t header = file_.header_bytes();
  if (rest.size() < header) return Cut::incomplete();
  const std::size_t bytes = block_bytes(file_, rest, limits_);
  if (bytes == 0) return Cut::broken();
  return bytes > rest.size() ? Cut::incomplete(bytes - rest.size() + header) : Cut::whole(bytes);
}

void BlockRules::take(Bytes block, std::uint64_t, base::Notices&) {
  const BlockCode code = block_code(block);
  if (State::matters(code)) {
    if (!changed_) changed_ = std::make_shared<State>(*before_);
    changed_->learn(file_, code, block.subspan(file_.header_bytes()));
  }
  if (code == BlockCode::end) end_seen_ = true;
}

// Blocks have no mark by which the next one could be found.
base::result<void> BlockRules::pass(event::FrameStream& stream) {
  end_seen_ = true;  // none can be missed
  const auto size = base::load_le<std::uint32_t>(stream.rest().data() + 2);
  return stream.lose_all(
      {Code::frame_length, block_place(stream), fmt::format("a size of {}", size)});
}

void BlockRules::end(event::FrameStream& stream, bool cut_off) const {
  if (!stream.rest().empty())
    stream.notices().add(Code::frame_truncated, block_place(stream), stream.rest().size());
  else if (!end_seen_ && !cut_off) stream.notices().add(Code::end_missing, block_place(stream), 0);
}

base::result<std::unique_ptr<event::Reader>> BlockFileReader::open(
    std::unique_ptr<base::Source> source, const event::ReadOptions& options) {
  std::vector<std::byte> head(kHeadRoom);
  const auto got = base::read_fully(*source, head);
  if (!got) return base::Unexpected(got.error());
  head.resize(*got);
  const auto file = read_head(head);
  if (!file) return base::Unexpected(file.error());
  return std::make_unique<BlockFileReader>(std::move(source), *file, options, head);
}

std::string BlockFileReader::version() const {
  return std::string(kVariantNames[static_cast<std::size_t>(file_.variant)]);
}

base::result<bool> BlockFileReader::fetch(event::Chunk& chunk) {
  if (!std::exchange(started_, true)) {  // the head alone would make a small chunk
    if (auto done = framing().stream().read_more(); !done) return base::Unexpected(done.error());
  }
  return FramedReader::fetch(chunk);
}

void BlockFileReader::decode(const event::Chunk& chunk, event::Batch& batch) const {
  batch.clear();
  batch.offset = chunk.offset;
  State state = *static_cast<const State*>(chunk.context.get());
  BlockReader reader(file_, batch);
  base::Bytes rest(chunk.bytes);
  Block block{.number = chunk.first_frame};
  while (!rest.empty()) {
    const std::size_t size = block_bytes(file_, rest, limits_);
    block.code = block_code(rest);
    block.offset = chunk.offset + (chunk.bytes.size() - rest.size());
    block.payload = rest.first(size).subspan(file_.header_bytes());
    reader.read(block, state);
    if (State::matters(block.code)) {
      state.learn(file_, block.code, block.payload);
      reader.state_changed();
    }
    rest = rest.subspan(size);
    ++block.number;
  }
}

}  // namespace polytrace::format::monoblock
