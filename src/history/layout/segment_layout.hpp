// SPDX-License-Identifier: Apache-2.0
// Offsets, sizes and packed fields within a SEGM payload (docs/formats/state-history.md, "SEGM").
#pragma once

#include <cstddef>
#include <cstdint>

namespace polytrace::history {

inline constexpr std::size_t kSegmentHead = 64;
inline constexpr std::size_t kRunsOffsetAt = 40;
inline constexpr unsigned kSparseFlag = 1;
// A directory is sparse when fewer than one key in this many changes.
inline constexpr std::size_t kSparseBelow = 4;
inline constexpr std::size_t kClassHead = 12;
inline constexpr std::size_t kEntryHead = 24;  // of a group in an entry table
inline constexpr std::size_t kExitHead = 16;   // of a group in an exit table
inline constexpr std::size_t kBlock = 128;     // changes in a block, and slots in a group, at most

// A run of several blocks begins with kSeveral + their number, then an entry for each.
inline constexpr unsigned kSeveral = 0x80;
inline constexpr unsigned kSeveralShift = 8;
inline constexpr std::size_t kRunHead = 4;
inline constexpr std::size_t kSkipSize = 12;

// How values are written: as they are, or doubles as integers over 10^1 .. 10^4, or with a code of
// its own for each.
inline constexpr unsigned kMostScale = 4;
inline constexpr unsigned kCodesForm = kMostScale + 1;
inline constexpr double kScales[kMostScale + 1]{1, 10, 100, 1000, 10000};

// The head of a block, 40 bits.
struct BlockHead {
  static constexpr std::size_t kBytes = 5;
  static constexpr unsigned kMostHighs = 48;  // bytes

  unsigned count;        // changes, 1 to kBlock
  unsigned low_bits;     // of times
  unsigned special;      // column values below this are no values: null, absent
  unsigned value_bits;   // width of the column
  unsigned form;         // see above
  unsigned first_bytes;  // of the first change's time
  unsigned least_bytes;  // of the least value
  unsigned high_bytes;   // of times

  // Lengths of 0 to 8 bytes in three bits: 7 is not needed.
  static constexpr unsigned length_code(unsigned bytes) { return bytes < 7 ? bytes : 7; }
  static constexpr unsigned length_of(unsigned code) { return code + (code == 7 ? 1 : 0); }

  constexpr std::uint64_t pack() const {
    return std::uint64_t{count - 1} | std::uint64_t{low_bits} << 8 | std::uint64_t{special} << 14 |
           std::uint64_t{value_bits} << 16 | std::uint64_t{form} << 23 |
           std::uint64_t{length_code(first_bytes)} << 26 |
           std::uint64_t{length_code(least_bytes)} << 29 | std::uint64_t{high_bytes} << 32;
  }
  static constexpr BlockHead unpack(std::uint64_t head) {
    const auto field = [head](unsigned at, unsigned bits) {
      return static_cast<unsigned>(head >> at) & ((1U << bits) - 1);
    };
    return {field(0, 7) + 1,
            field(8, 6),
            field(14, 2),
            field(16, 7),
            field(23, 3),
            length_of(field(26, 3)),
            length_of(field(29, 3)),
            field(32, 8)};
  }
};

}  // namespace polytrace::history
