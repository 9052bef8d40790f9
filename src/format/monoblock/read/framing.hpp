// SPDX-License-Identifier: Apache-2.0
// Cuts a stream into chunks of whole blocks (docs/formats/monoblock.md, sections 2 and 5). Input is
// never held beyond one chunk and one incomplete block.
#pragma once

#include "base/notices.hpp"
#include "event/reader.hpp"
#include "format/monoblock/layout/state.hpp"

namespace polytrace::format::monoblock {

// One thread at a time.
class Framing {
 public:
  // Both outlive the framing. `head` is what has been read of the source: its first bytes.
  Framing(base::Source& source, const FileHead& file, const base::Limits& limits, base::Bytes head)
      : source_(source), file_(file), limits_(limits) {
    tail_.append(head);
  }

  // The next whole blocks, at least one, as soon as they are there; false at the end. The chunk's
  // context is the State with which decoding it begins.
  base::result<bool> next(event::Chunk& chunk);
  // Complete when next() gave false.
  const base::Notices& notices() const { return notices_; }

 private:
  using Buffer = base::RawArray<std::byte>;

  // Bytes of the whole blocks at the start of `bytes`, so many at most; counts them.
  std::size_t whole_blocks(base::Bytes bytes, std::uint64_t& blocks);
  base::result<void> read_more(Buffer& bytes);
  void learn(base::Bytes blocks);
  base::result<void> drain(Buffer& bytes);
  base::result<bool> finish(Buffer& bytes);
  base::Place place() const;

  base::Source& source_;
  const FileHead& file_;
  base::Limits limits_;
  base::Notices notices_;
  std::shared_ptr<const State> state_ = std::make_shared<const State>();
  Buffer tail_;               // behind the last chunk
  std::uint64_t offset_ = 0;  // in the stream, of what comes next
  std::uint64_t blocks_ = 0;
  std::uint64_t chunks_ = 0;
  bool source_ended_ = false;
  bool broken_ = false;  // an impossible header stands next
  bool end_seen_ = false;
};

}  // namespace polytrace::format::monoblock
