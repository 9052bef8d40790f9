// SPDX-License-Identifier: Apache-2.0
// Where the buffers of a stream behind its file header begin and end (docs/formats/mlpd.md,
// sections 2.2 and 8).
#pragma once

#include "event/framed_reader.hpp"
#include "format/mlpd/records/header.hpp"

namespace polytrace::format::mlpd {

class BufferRules : public event::FrameRules {
 public:
  explicit BufferRules(const base::Limits& limits) : most_bytes_(limits.frame_bytes) {}

  static base::Piece piece() {
    constexpr std::size_t kPiece = 16 * 1024;
    return base::Piece(kPiece, kPiece);
  }
  event::Cut look(base::Bytes rest, std::uint64_t, bool ended) const;
  base::result<void> pass(event::FrameStream& stream) const;
  void end(event::FrameStream& stream, bool cut_off) const;

 private:
  event::Cut look_at(base::Bytes rest) const;
  event::Likely likely(base::Bytes rest, bool ended) const;

  std::size_t most_bytes_;
};

using Framing = event::Framing<BufferRules>;

}  // namespace polytrace::format::mlpd
