// SPDX-License-Identifier: Apache-2.0
// Cuts a stream behind its file header into chunks of whole buffers (docs/formats/mlpd.md, sections
// 2.2 and 8). Input is never held beyond one chunk and one incomplete buffer.
#pragma once

#include "base/notices.hpp"
#include "event/reader.hpp"
#include "format/mlpd/records/header.hpp"

namespace polytrace::format::mlpd {

// One thread at a time.
class Framing {
 public:
  Framing(base::Source& source, std::uint64_t offset, const event::ReadOptions& options)
      : source_(source), options_(options), offset_(offset) {}

  // The next whole buffers, at least one; false at the end. A chunk is given as soon as one buffer
  // is complete, so that a growing file is read while it grows.
  base::result<bool> next(event::Chunk& chunk);
  const base::Notices& notices() const { return notices_; }

 private:
  struct Broken {
    base::Code code;
    std::string detail;
  };
  enum class Step { whole, incomplete, broken };

  Step step(base::Bytes rest) const;
  Broken why_broken(base::Bytes rest) const;
  base::result<void> read_more(base::RawArray<std::byte>& bytes, std::size_t wanted = 0);
  // Behind a broken frame: to the next one, or to the end.
  base::result<void> skip(base::RawArray<std::byte>& bytes);
  base::result<std::uint64_t> skip_to_frame(base::RawArray<std::byte>& bytes);
  base::result<std::uint64_t> drain(base::RawArray<std::byte>& bytes);
  void finish(base::Bytes rest);
  base::Place place() const;

  base::Source& source_;
  event::ReadOptions options_;
  base::Notices notices_;
  base::RawArray<std::byte> tail_;  // the incomplete buffer behind the last chunk
  std::uint64_t offset_;            // in the stream, of what comes next
  std::uint64_t frames_ = 0;        // given so far
  std::uint64_t chunks_ = 0;
  bool source_ended_ = false;
};

}  // namespace polytrace::format::mlpd
