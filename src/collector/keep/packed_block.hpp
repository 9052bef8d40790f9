// SPDX-License-Identifier: Apache-2.0
// Blocks of rows as bytes: two zstd frames with checksums behind each other, what the block is and
// its rows, so that a look at what it is costs nothing of its rows. One frame with both, as earlier
// versions wrote it, is read as well. Pure; thread-safe.
#pragma once

#include <optional>
#include <vector>

#include "base/types.hpp"
#include "collector/send/blocks.hpp"

namespace polytrace::collector {

// What one takes at most when it is unpacked.
inline constexpr std::size_t kMostPacked = std::size_t{256} << 20;
// Of a block that is longer these bytes are enough for a look at what it is.
inline constexpr std::size_t kEnoughForLook = std::size_t{4} << 10;

// Empty: it is larger than that, or memory is missing.
std::vector<std::byte> pack(const Block& block);
// Nothing: the bytes are damaged, of no table that is known, or larger than that.
std::optional<Block> unpack(base::Bytes bytes, std::size_t most = kMostPacked);
// How many bytes they say to be when they are unpacked; nothing: they do not say it.
std::optional<std::uint64_t> unpacked_size(base::Bytes bytes);

// Of the bytes of one the rows, as Block::packed has them. Empty: they are of an earlier version.
base::Bytes packed_rows(base::Bytes bytes);

struct PackedLook {
  Block block{};                // without its rows
  std::uint64_t row_bytes = 0;  // as they say themselves
};
// Of the first bytes of a block. Nothing: they are too few, damaged, or of an earlier version.
std::optional<PackedLook> look_at_packed(base::Bytes first);

}  // namespace polytrace::collector
