// SPDX-License-Identifier: Apache-2.0
// Reads runs (see run_writer.hpp) in place. Whatever the bytes, nothing outside of them is believed
// to be there: every offset and width is tested when a run or block is opened. REQUIRES: kReadable
// bytes behind the end.
#pragma once

#include <array>
#include <span>

#include "history/bits.hpp"
#include "history/segment_layout.hpp"
#include "history/state.hpp"

namespace polytrace::history {

// Up to kBlock changes of one timeline.
class BlockView {
 public:
  // False when the bytes are no block. `first` is the segment's first tick.
  bool open(const std::byte* at, const std::byte* end, std::uint32_t count, Tick first,
            TypeCode code);

  std::uint32_t count() const { return count_; }
  Tick first_time() const { return first_time_; }
  // Times are a chain: the one of change `i` + 1 from that of `i`.
  Tick time_after(Tick time, std::uint32_t i) const {
    return tick_after(time, bits_at(times_, i, time_bits_));
  }
  // Of the last change at or before `t`: its number, with its time and the next one's. REQUIRES:
  // first_time() <= t.
  struct Found {
    std::uint32_t number;
    Tick time;
    Tick next;
    bool has_next;
  };
  Found find(Tick t) const { return find(t, 0, first_time_); }
  // Begins at change `from`, whose time is at or before `t`.
  Found find(Tick t, std::uint32_t from, Tick time) const;
  State state(std::uint32_t i, Tick time) const;

 private:
  bool is_set(const std::array<std::uint64_t, 2>& mask, std::uint32_t i) const {
    return (mask[i / 64] >> (i % 64) & 1) != 0;
  }
  bool take_masks(const std::byte*& at, const std::byte* end, unsigned presence);
  std::uint32_t values_before(std::uint32_t i) const;

  const std::byte* times_ = nullptr;
  const std::byte* codes_ = nullptr;
  const std::byte* values_ = nullptr;
  Tick first_time_ = 0;
  std::uint64_t least_ = 0;
  std::uint32_t count_ = 0;
  unsigned time_bits_ = 0;
  unsigned value_bits_ = 0;
  unsigned scale_ = 0;
  TypeCode code_ = 0;
  bool all_values_ = true;
  std::array<std::uint64_t, 2> missing_{};  // neither value
  std::array<std::uint64_t, 2> absent_{};
};

// All changes of one timeline in a segment.
class RunView {
 public:
  // Where the run lies in its payload, and what its bytes mean.
  struct Place {
    const std::byte* at;
    const std::byte* end;  // of the payload
    Tick first;            // of the segment
    TypeCode code;
    std::uint32_t block;  // changes in a block
  };
  bool open(const Place& place);

  std::uint32_t blocks() const { return blocks_; }
  std::uint32_t count() const { return count_; }
  bool open_block(std::uint32_t number, BlockView& block) const;
  // Of the first change in a block. REQUIRES: more than one block.
  Tick block_start(std::uint32_t number) const {
    return base::load_le<Tick>(body_ + std::size_t{number} * kSkipSize);
  }
  // The number of the block that covers `t`; 0 before the first change.
  std::uint32_t block_of(Tick t) const;

 private:
  Place place_{};
  const std::byte* body_ = nullptr;  // the one block, or the skip entries
  std::uint32_t count_ = 0;
  std::uint32_t blocks_ = 0;
};

}  // namespace polytrace::history
