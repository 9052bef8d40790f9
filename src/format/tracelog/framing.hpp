// SPDX-License-Identifier: Apache-2.0
// Cuts a log into chunks of whole lines and shows every line to the watch. Never holds more than
// one chunk, what was read beyond it, and one unfinished line.
#pragma once

#include "base/io/piece.hpp"
#include "event/reader.hpp"
#include "format/tracelog/lines/watch.hpp"

namespace polytrace::format::tracelog {

// One thread at a time.
class Framing {
 public:
  Framing(base::Source& source, const base::Limits& limits)
      : source_(source), limits_(limits), quick_(limits.frame_bytes >= kLongestQuick) {}

  // False at the end. A chunk is given as soon as there is a line, so that a growing log is read
  // while it grows. Its context is a ChunkStart, its first_frame the number of its first line,
  // from 1.
  base::result<bool> next(event::Chunk& chunk);
  const base::Notices& notices() const { return notices_; }

 private:
  std::string_view rest() const;
  bool next_line(std::size_t from, std::size_t& end);
  std::size_t take_lines();
  std::size_t quick_lines_end(std::size_t from, std::size_t most);
  bool too_long(std::size_t bytes) const { return bytes > limits_.frame_bytes; }
  std::size_t mark_bytes() const;
  void give(event::Chunk& chunk, std::size_t bytes);
  void leave_out(std::size_t bytes, bool line_ends);
  base::result<void> read_more();
  void finish();

  static constexpr std::size_t kPiece = 256 * 1024;

  base::Source& source_;
  base::Piece piece_{kPiece};
  base::Limits limits_;
  bool quick_;  // whether to look for quick lines: none of them is too long
  base::Notices notices_;
  Watch watch_{notices_};
  base::RawArray<std::byte> buffer_;
  std::size_t at_ = 0;        // of the next line in buffer_
  std::size_t searched_ = 0;  // behind it, without a line end
  std::uint64_t offset_ = 0;  // of the next line in the stream
  std::uint64_t number_ = 1;  // of the next line
  std::uint64_t chunks_ = 0;
  std::uint64_t left_out_ = 0;  // bytes of a line that is too long, so far
  bool source_ended_ = false;
  bool finished_ = false;
};

}  // namespace polytrace::format::tracelog
