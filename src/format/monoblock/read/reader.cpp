// SPDX-License-Identifier: Apache-2.0
#include "format/monoblock/read/reader.hpp"

#include "format/monoblock/read/block_reader.hpp"

namespace polytrace::format::monoblock {

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
