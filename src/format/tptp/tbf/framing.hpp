// SPDX-License-Identifier: Apache-2.0
// Where the frames (headers and messages) of a TBF stream begin and end. The context of a chunk is
// the StreamState with which decoding it begins.
#pragma once

#include "event/framed_reader.hpp"
#include "format/tptp/tbf/stream_rules.hpp"

namespace polytrace::format::tptp {

class TbfRules : public event::FrameRules {
 public:
  explicit TbfRules(const base::Limits& limits) : limits_(limits) {}

  static base::Piece piece() {
    constexpr std::size_t kPiece = 256 * 1024;
    return base::Piece(kPiece);
  }
  void begin_chunk() { before_ = std::make_shared<StreamState>(state_); }
  event::Cut look(std::span<std::byte> rest, std::uint64_t offset, bool ended);
  void take(std::span<std::byte> frame, std::uint64_t offset, base::Notices&);
  std::shared_ptr<const void> context() const { return before_; }
  base::result<void> pass(event::FrameStream& stream);
  void end(event::FrameStream& stream, bool cut_off);

 private:
  base::result<void> pass_gap(event::FrameStream& stream);
  base::result<void> pass_zeros(event::FrameStream& stream);
  base::result<void> pass_broken(event::FrameStream& stream);
  // To the next likely message from stream.rest()[from] on.
  base::result<void> search(event::FrameStream& stream, base::Error fault, std::size_t from);
  // Whether a message of a known kind starts here, and another frame or the end follows it.
  event::Likely likely(base::Bytes rest, bool ended) const;
  bool starts_frame(base::Bytes rest) const;

  base::Limits limits_;
  StreamState state_;
  std::shared_ptr<const StreamState> before_;
  Frame frame_{};          // what look() saw; plain calls are none
  std::uint64_t gap_ = 0;  // bytes to skip before the next frame
};

using TbfFraming = event::Framing<TbfRules>;

// Reads the first header and what stands before its offset to data, which stay in the stream. Fails
// when it is not legal.
base::result<FileHeader> begin_tbf(event::FrameStream& stream);

}  // namespace polytrace::format::tptp
