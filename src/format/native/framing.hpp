// SPDX-License-Identifier: Apache-2.0
// Cuts a stream behind its header into chunks of whole blocks (docs/formats/native.md, sections 3
// and 10), and learns what later ones need of earlier ones. Damage is passed over up to the next
// block. Input is never held beyond one chunk and one incomplete block.
#pragma once

#include "base/notices.hpp"
#include "event/reader.hpp"
#include "format/native/read/context.hpp"
#include "format/native/segments_taken.hpp"

namespace polytrace::format::native {

inline BlockHeader load_header(const std::byte* at) { return base::load_le<BlockHeader>(at); }

// One thread at a time.
class Framing {
 public:
  Framing(base::Source& source, std::uint64_t offset, const event::ReadOptions& options)
      : source_(source), options_(options), offset_(offset) {}

  // The next whole blocks, at least one; false at the end. The chunk's context holds for all.
  base::result<bool> next(event::Chunk& chunk);
  // Complete when next() gave false.
  base::Notices& notices() { return notices_; }
  const base::Notices& notices() const { return notices_; }

  std::shared_ptr<const Context> context() const { return context_; }
  const SegmentsTaken& segments_taken() const { return segments_taken_; }
  // Whether the last block was the stream's end, or the source itself was cut off.
  bool ended() const { return ended_; }
  std::uint64_t offset() const { return offset_; }

 private:
  using Buffer = base::RawArray<std::byte>;
  enum class Step { whole, incomplete, no_block, wrong_payload };

  Step step(base::Bytes rest) const;
  bool is_header(base::Bytes rest) const;
  bool joins(const BlockHeader& header, bool events) const;
  void take(const BlockHeader& header, base::Bytes payload, std::uint64_t offset);
  base::result<void> read_more(Buffer& bytes, std::size_t wanted);
  base::result<void> skip(Buffer& bytes, Step why);
  std::size_t find_header(base::Bytes bytes, std::size_t from) const;
  bool finish(Buffer& bytes);
  base::Place place() const;

  base::Source& source_;
  event::ReadOptions options_;
  base::Notices notices_;
  std::shared_ptr<const Context> context_ = std::make_shared<const Context>();
  SegmentsTaken segments_taken_;
  Buffer tail_;                   // behind the last chunk
  std::uint64_t offset_;          // in the stream, of what comes next
  std::uint64_t next_index_ = 0;  // that the next block should have
  std::uint64_t blocks_ = 0;      // given so far
  std::uint64_t chunks_ = 0;
  bool source_ended_ = false;
  bool ended_ = false;
};

}  // namespace polytrace::format::native
