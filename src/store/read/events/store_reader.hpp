// SPDX-License-Identifier: Apache-2.0
// An index as a trace again: the events of its source in the source's order, with its notices and
// its tally. What cannot be read of a damaged index becomes a notice, and is left out.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "event/reader.hpp"
#include "store/read/events/stream_cursors.hpp"
#include "store/read/index_frames.hpp"

namespace polytrace::store {

class StoreReader final : public event::Reader {
 public:
  // What the texts and lists of a chunk may take. A file that is made for it can tell the same long
  // stack and text in each row; of what was recorded this is more than 8 KiB an event.
  static constexpr std::size_t kMostChunkBytes = std::size_t{512} << 20;

  explicit StoreReader(std::shared_ptr<const IndexFrames> frames,
                       std::size_t most_chunk_bytes = kMostChunkBytes);
  ~StoreReader() override;

  // What it reads.
  const std::shared_ptr<const IndexFrames>& frames() const { return frames_; }
  // Of the source's format.
  std::string version() const override;
  // A chunk is a part of the order. Errors: at the end, that of the source.
  base::result<bool> fetch(event::Chunk& chunk) override;
  void decode(const event::Chunk& chunk, event::Batch& batch) const override;
  // Of the source.
  const base::Notices& notices() const override { return frames_->notes().notices; }
  const base::Source& source() const override;

 private:
  class IndexSource;

  std::shared_ptr<const IndexFrames> frames_;
  std::size_t most_chunk_bytes_;
  std::unique_ptr<IndexSource> source_;
  mutable StreamCursors cursors_;
  std::uint64_t next_ = 0;
};

}  // namespace polytrace::store
