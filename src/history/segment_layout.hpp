// SPDX-License-Identifier: Apache-2.0
// Offsets and sizes within a SEGM payload (docs/formats/state-history.md, "SEGM").
#pragma once

#include <cstddef>

namespace polytrace::history {

inline constexpr std::size_t kSegmentHead = 64;
inline constexpr std::size_t kRunsOffsetAt = 40;
inline constexpr unsigned kSparseFlag = 1;
// A directory is sparse when fewer than one key in this many changes.
inline constexpr std::size_t kSparseBelow = 4;
inline constexpr std::size_t kClassHead = 12;
inline constexpr std::size_t kEntryHead = 24;  // of a group in an entry table
inline constexpr std::size_t kExitHead = 16;   // of a group in an exit table
inline constexpr std::size_t kSkipSize = 12;   // a block's entry at the head of a long run
inline constexpr std::size_t kBlock = 128;     // changes in a block, and slots in a group
inline constexpr std::size_t kBitmapBytes = kBlock / 8;  // of a group

}  // namespace polytrace::history
