// SPDX-License-Identifier: Apache-2.0
// A part of a stream as a trace of its own: some of its blocks as they came, before them what they
// need of earlier ones, and a note of what it is a part. Read from a collector's folder, which
// another process may be writing. Any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::collector {

// At once, and how large they may be.
inline constexpr std::uint64_t kMostPieceBlocks = 1024;
inline constexpr std::uint64_t kMostPieceBytes = std::uint64_t{64} << 20;

// Blocks of what was asked for that somebody has already.
struct HadBlocks {
  std::uint64_t first = 0, last = 0;  // they are among these
  std::uint64_t count = 0;
};

struct PieceOrder {
  std::filesystem::path folder{};  // the collector's: spool.folder
  std::uint64_t stream = 0;
  std::uint64_t first = 0;  // blocks, both among them
  std::uint64_t last = 0;
  // Left out, though the trace speaks of all: to be put behind the others, whose last they are.
  std::optional<HadBlocks> had{};
};

struct Piece {
  std::vector<std::byte> trace{};  // a .ptrace
  std::uint64_t blocks = 0;        // of those asked for
  std::uint64_t at_end = 0;        // how many of its last blocks they are, but for its own end
  std::string gone{};  // "5 to 9, 12": not in the spool, though later ones are; or empty
  std::string note{};  // what the trace says of itself
};

// Whether one may ask so. Errors: usage (none, or too many blocks).
base::result<void> check_order(const PieceOrder& order);

// Blocks that are not there any more are told in the trace, by a note and as lost, and in `gone`;
// those that are not there yet by the note. Errors: usage (none or too many blocks; what somebody
// has is not what is there now), open_failed (no such folder, or none of these blocks is in it),
// read_failed, limit_exceeded.
base::result<Piece> read_piece(const PieceOrder& order);

}  // namespace polytrace::collector
