// SPDX-License-Identifier: Apache-2.0
// Where the blocks of a stream behind its header begin and end (docs/formats/native.md, sections 3
// and 10), and what later ones need of earlier ones. Damage is passed over up to the next block. A
// chunk's context holds for all of its blocks.
#pragma once

#include "event/framed_reader.hpp"
#include "format/native/read/context.hpp"
#include "format/native/segments_taken.hpp"

namespace polytrace::format::native {

inline BlockHeader load_header(const std::byte* at) { return base::load_le<BlockHeader>(at); }

class BlockRules : public event::FrameRules {
 public:
  explicit BlockRules(const base::Limits& limits) : most_bytes_(limits.frame_bytes) {}

  static base::Piece piece() {
    constexpr std::size_t kPiece = 16 * 1024;
    return base::Piece(kPiece, kPiece);
  }
  void begin_chunk() { has_events_ = false; }
  bool goes_on(base::Bytes rest, std::size_t bytes, std::uint64_t blocks) const;
  event::Cut look(base::Bytes rest, std::uint64_t, bool ended);
  void take(base::Bytes block, std::uint64_t offset, base::Notices& notices);
  std::shared_ptr<const void> context() const { return context_; }
  base::result<void> pass(event::FrameStream& stream);
  void end(event::FrameStream& stream, bool cut_off);

  std::shared_ptr<const Context> last_context() const { return context_; }
  const SegmentsTaken& segments_taken() const { return segments_taken_; }
  // Whether the last block was the stream's end, or the source itself was cut off.
  bool ended() const { return ended_; }

 private:
  enum class Step : std::uint8_t { whole, incomplete, no_block, wrong_payload };

  Step step(base::Bytes rest) const;
  bool is_header(base::Bytes rest) const;
  event::Likely likely(base::Bytes rest, bool ended) const;
  bool has_header_behind(base::Bytes rest) const;
  base::Place place(const event::FrameStream& stream) const;

  std::size_t most_bytes_;
  std::shared_ptr<const Context> context_ = std::make_shared<const Context>();
  SegmentsTaken segments_taken_;
  Step seen_ = Step::whole;       // by look()
  std::uint64_t next_index_ = 0;  // that the next block should have
  bool has_events_ = false;       // the chunk
  bool ended_ = false;
};

using Framing = event::Framing<BlockRules>;

}  // namespace polytrace::format::native
