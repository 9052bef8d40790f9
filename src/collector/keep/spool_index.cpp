// SPDX-License-Identifier: Apache-2.0
#include "collector/keep/spool_index.hpp"

#include <algorithm>

#include "base/io/crc32c.hpp"
#include "format/native/framing.hpp"

namespace polytrace::collector {

using format::native::BlockHeader;
using format::native::StreamHeader;

std::optional<std::uint64_t> index_of(base::Bytes block) {
  if (block.size() == sizeof(StreamHeader)) {
    const auto header = base::load_le<StreamHeader>(block.data());
    if (header.magic == format::native::kStreamMagic && is_sealed(header))
      return BlockCutter::kHeader;
  }
  if (block.size() < sizeof(BlockHeader)) return std::nullopt;
  const BlockHeader header = format::native::load_header(block.data());
  if (header.mark != format::native::kBlockMark || !is_sealed(header) ||
      sizeof header + header.length != block.size())
    return std::nullopt;
  return header.index;
}

bool is_whole(base::Bytes block) {
  if (block.size() == sizeof(StreamHeader)) return true;
  const BlockHeader header = format::native::load_header(block.data());
  return base::crc32c(block.subspan(sizeof header)) == header.payload_crc;
}

void SpoolIndex::add_file(std::filesystem::path path, std::uint64_t number) {
  files_.push_back({.path = std::move(path), .number = number});
}

void SpoolIndex::add(std::uint64_t stream, const BlockCutter::Block& block,
                     std::uint64_t file_bytes) {
  File& file = files_.back();
  file.bytes = file_bytes;
  Stream& known = streams_[stream];
  const bool header = block.index == BlockCutter::kHeader;
  known.files += file.last.insert_or_assign(stream, header ? 0 : block.index).second;
  file.blocks += !header;
  known.appended = {header ? 0 : block.index + 1, block.offset + block.bytes.size()};
  added_.insert(stream);
}

bool SpoolIndex::is_new(std::uint64_t stream, std::uint64_t index) const {
  const auto known = streams_.find(stream);
  if (known == streams_.end()) return true;
  return index != BlockCutter::kHeader && index >= known->second.appended.next_block;
}

void SpoolIndex::settle() {
  for (const std::uint64_t stream : added_) {
    const auto known = streams_.find(stream);
    if (known != streams_.end()) known.value().held = known->second.appended;
  }
  added_.clear();
}

void SpoolIndex::leave(const File& file) {
  for (const auto& [stream, last] : file.last) {
    const auto known = streams_.find(stream);
    if (--known.value().files == 0) streams_.erase(known);
  }
}

void SpoolIndex::forget_newest() {
  leave(files_.back());
  File& file = files_.back();
  file = {.path = file.path, .number = file.number};
  for (const std::uint64_t stream : added_) {
    const auto known = streams_.find(stream);
    if (known != streams_.end())
      known.value().appended = known->second.held.value_or(Spool::Held());
  }
  added_.clear();
}

std::uint64_t SpoolIndex::drop_oldest() {
  const std::uint64_t blocks = files_.front().blocks;
  leave(files_.front());
  files_.pop_front();
  return blocks;
}

std::optional<Spool::Held> SpoolIndex::held(std::uint64_t stream) const {
  const auto known = streams_.find(stream);
  return known == streams_.end() ? std::nullopt : known->second.held;
}

std::vector<std::uint64_t> SpoolIndex::streams() const {
  std::vector<std::uint64_t> all;
  for (const auto& [stream, known] : streams_)
    if (known.held) all.push_back(stream);
  std::ranges::sort(all);
  return all;
}

std::uint64_t SpoolIndex::bytes() const {
  std::uint64_t all = 0;
  for (const File& file : files_) all += file.bytes;
  return all;
}

}  // namespace polytrace::collector
