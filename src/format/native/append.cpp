// SPDX-License-Identifier: Apache-2.0
#include "format/native/native.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/codes.hpp"
#include "format/native/segments.hpp"
#include "format/native/wire/sealing.hpp"

namespace polytrace::format::native {
namespace {

using base::Code;

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : file_(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (file_ >= 0) close(file_);
  }
  bool is_open() const { return file_ >= 0; }
  std::uint64_t size() const {
    const off_t end = lseek(file_, 0, SEEK_END);
    return end < 0 ? 0 : static_cast<std::uint64_t>(end);
  }
  template <class Header>
  bool read(std::uint64_t offset, Header& header) const {
    return pread(file_, &header, sizeof header, static_cast<off_t>(offset)) == sizeof header;
  }
  bool write(std::uint64_t offset, base::Bytes bytes) const {
    while (!bytes.empty()) {
      const ssize_t put = pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) return false;
      offset += static_cast<std::uint64_t>(put);
      bytes = bytes.subspan(static_cast<std::size_t>(put));
    }
    return true;
  }
  bool cut(std::uint64_t size) const { return ftruncate(file_, static_cast<off_t>(size)) == 0; }
  bool settle() const { return fsync(file_) == 0; }

 private:
  int file_;
};

// How far the blocks reach, and what they took.
struct Blocks {
  SegmentsTaken segments_taken;
  std::uint64_t next_index = 0;
  std::uint64_t end = sizeof(StreamHeader);
  std::uint64_t last_tick = 0;
  bool ended = false;
};

// By their headers alone: a stream of many gigabytes has few of them.
void walk(const OpenFile& file, std::uint64_t size, Blocks& blocks) {
  BlockHeader header;
  while (file.read(blocks.end, header) && header.mark == kBlockMark && is_sealed(header) &&
         header.length <= kMaxPayload && header.length <= size - blocks.end - sizeof header) {
    if (header.content == Content::events) blocks.segments_taken.add(header);
    blocks.ended = header.content == Content::end;
    blocks.next_index = header.index + 1;
    blocks.last_tick = header.last_tick;
    blocks.end += sizeof header + header.length;
  }
}

bool put(const OpenFile& file, Blocks& blocks, BlockHeader header, base::Bytes payload) {
  header.index = blocks.next_index;
  seal(header, payload);
  if (!file.write(blocks.end, std::as_bytes(std::span(&header, 1))) ||
      !file.write(blocks.end + sizeof header, payload))
    return false;
  ++blocks.next_index;
  blocks.last_tick = std::max(blocks.last_tick, header.last_tick);
  blocks.end += sizeof header + payload.size();
  return true;
}

bool put_all(const OpenFile& file, Blocks& blocks, Segments& segments) {
  base::RawArray<std::byte> block;
  while (segments.next(block)) {
    const auto header = base::load_le<BlockHeader>(block.data());
    if (!put(file, blocks, header, base::Bytes(block).subspan(sizeof header))) return false;
  }
  BlockHeader end;
  end.content = Content::end;
  end.first_tick = end.last_tick = blocks.last_tick;
  return put(file, blocks, end, {}) && file.settle();
}

}  // namespace

base::result<Appended> append_segments(const std::string& path) {
  const OpenFile file(path);
  if (!file.is_open()) return base::system_fault(Code::open_failed);
  StreamHeader header;
  if (!file.read(0, header) || header.magic != kStreamMagic || header.major != kMajor ||
      !is_sealed(header))
    return base::fail(Code::not_recognised);
  const std::uint64_t size = file.size();
  Blocks blocks;
  walk(file, size, blocks);
  if (blocks.ended) return Appended{};
  if (size - blocks.end > sizeof(BlockHeader) + kMaxPayload)
    return base::fail(Code::block_damaged, {}, {.offset = blocks.end});
  auto segments = Segments::open(path + ".segments", header.stream, blocks.segments_taken);
  if (!segments) return base::Unexpected(segments.error());
  const std::uint64_t whole = blocks.end;
  if (put_all(file, blocks, **segments) && file.cut(blocks.end))
    return Appended{(*segments)->events(), (*segments)->damaged()};
  auto fault = base::system_fault(Code::write_failed);
  file.cut(whole);  // if that fails, too, the next attempt gives up what is torn
  return fault;
}

}  // namespace polytrace::format::native
