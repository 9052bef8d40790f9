// SPDX-License-Identifier: Apache-2.0
// Reads all variants. Blocks are decoded in parallel; what they need of earlier ones travels as the
// chunk's context.
#pragma once

#include "event/framed_reader.hpp"
#include "format/monoblock/layout/state.hpp"

namespace polytrace::format::monoblock {

// Where the blocks of a stream begin and end (docs/formats/monoblock.md, sections 2 and 5).
class BlockRules : public event::FrameRules {
 public:
  BlockRules(const FileHead& file, const base::Limits& limits) : file_(file), limits_(limits) {}

  static base::Piece piece() {
    constexpr std::size_t kPiece = 64 * 1024;
    return base::Piece(kPiece, kPiece);
  }
  void begin_chunk();
  bool goes_on(base::Bytes rest, std::size_t bytes, std::uint64_t blocks) const;
  event::Cut look(base::Bytes rest, std::uint64_t, bool ended) const;
  void take(base::Bytes block, std::uint64_t, base::Notices&);
  std::shared_ptr<const void> context() const { return before_; }
  base::result<void> pass(event::FrameStream& stream);
  void end(event::FrameStream& stream, bool cut_off) const;

 private:
  FileHead file_;
  base::Limits limits_;
  std::shared_ptr<const State> before_ = std::make_shared<const State>();  // the chunk
  std::shared_ptr<State> changed_{};  // by the chunk, if it was
  bool end_seen_ = false;
};

using Framing = event::Framing<BlockRules>;

class BlockFileReader final : public event::FramedReader<Framing> {
 public:
  static base::result<std::unique_ptr<event::Reader>> open(std::unique_ptr<base::Source> source,
                                                           const event::ReadOptions& options);
  BlockFileReader(std::unique_ptr<base::Source> source, const FileHead& file,
                  const event::ReadOptions& options, base::Bytes head)
      : FramedReader(std::move(source), options, event::ReadBefore{0, head}, file, options.limits),
        file_(file),
        limits_(options.limits) {}

  std::string version() const override;
  base::result<bool> fetch(event::Chunk& chunk) override;
  void decode(const event::Chunk& chunk, event::Batch& batch) const override;

 private:
  FileHead file_;
  base::Limits limits_;
  bool started_ = false;
};

}  // namespace polytrace::format::monoblock
