// SPDX-License-Identifier: Apache-2.0
// Which frames of sums, and which single blocks, add up to a row of blocks: few, as a frame that
// reaches a little beyond the row is taken whole, and what is too much of it taken off. Pure.
#pragma once

#include <vector>

#include "store/read/call_frames.hpp"

namespace polytrace::store {

struct CoverPiece {
  const CallFrames::Sums* sums;  // null: the block itself, as `place`
  std::uint32_t place;
  bool takes_off;
};

// The pieces of blocks [from, to) of a thread that has `blocks`, in no order. `sums`: as
// CallFrames::sums(), whatever they say; the pieces point into it.
std::vector<CoverPiece> cover(std::span<const CallFrames::Sums> sums, std::uint32_t blocks,
                              std::uint32_t from, std::uint32_t to);

}  // namespace polytrace::store
