// SPDX-License-Identifier: Apache-2.0
// Cuts a TBF stream into chunks of whole frames (headers and messages). Input is never held beyond
// one chunk and one incomplete message.
#pragma once

#include "base/io/piece.hpp"
#include "event/reader.hpp"
#include "format/tptp/tbf/stream_rules.hpp"
#include "format/tptp/tbf/watch.hpp"

namespace polytrace::format::tptp {

// One thread at a time.
class TbfFraming {
 public:
  // Both outlive the framing.
  TbfFraming(base::Source& source, const event::ReadOptions& options, Exits exits)
      : source_(source), options_(options), watch_(exits) {}

  // Reads the first header and what stands before its offset to data. Fails when it is not legal.
  base::result<FileHeader> begin();
  // The next whole frames, at least one, as soon as they are there; false at the end. The chunk's
  // context is the StreamState with which decoding it begins.
  base::result<bool> next(event::Chunk& chunk);
  // With what was found out of order; complete when next() gave false.
  const base::Notices& notices() const { return notices_; }

 private:
  using Buffer = base::RawArray<std::byte>;

  Behind behind() const { return source_ended_ ? Behind::nothing : Behind::unknown; }
  // Passes the whole frames in `bytes` from `end` on. Gives the frame that ends the run.
  Frame pass_frames(Buffer& bytes, std::size_t& end, std::uint64_t& frames);
  base::result<void> read_more(Buffer& bytes, std::size_t wanted);
  base::result<void> pass_gap(Buffer& bytes);
  base::result<void> pass_zeros(Buffer& bytes);
  // `zeros` bytes before `bytes` that are messages without id, size and content.
  void pass_empty_messages(Buffer& bytes, std::uint64_t zeros);
  base::result<void> pass_broken(Buffer& bytes, const Frame& frame);
  base::result<std::uint64_t> search(Buffer& bytes, std::size_t at);
  base::result<std::uint64_t> drain(Buffer& bytes);
  // Whether a message of a known kind starts here, and another frame or the end follows it.
  enum class Likely : std::uint8_t { no, yes, unclear };
  Likely is_likely(base::Bytes rest) const;
  void finish(base::Bytes rest);

  static constexpr std::size_t kPiece = 256 * 1024;

  base::Source& source_;
  base::Piece piece_{kPiece};
  const event::ReadOptions& options_;
  base::Notices notices_;
  StreamState state_;
  Watch watch_;
  Buffer tail_;               // behind the last chunk
  std::uint64_t offset_ = 0;  // in the stream, of what comes next
  std::uint64_t gap_ = 0;     // bytes to skip before the next frame
  std::uint64_t gap_from_ = 0;
  std::uint64_t frames_ = 0;
  std::uint64_t chunks_ = 0;
  bool source_ended_ = false;
  bool finished_ = false;
};

}  // namespace polytrace::format::tptp
