// SPDX-License-Identifier: Apache-2.0
// The ascending times of a block, as distances from its first change by the scheme of Elias and
// Fano: the low bits of each in a column; of the high bits h of number i (from 0) one bit set at
// h + i (docs/formats/state-history.md, "SEGM"). Finding a time takes a few words, whatever its
// place. Whatever the bytes, nothing outside of them and kReadable more is read; a damaged list
// gives false or wrong numbers.
#pragma once

#include <algorithm>
#include <array>

#include "base/frames/bits.hpp"
#include "history/layout/segment_layout.hpp"

namespace polytrace::history {

class TimesView {
 public:
  TimesView() = default;
  // REQUIRES: high_bytes <= BlockHead::kMostHighs, low_bits < 64, and the bytes are there.
  TimesView(const std::byte* highs, unsigned high_bytes, const std::byte* lows, unsigned low_bits,
            unsigned count)
      : highs_(highs), lows_(lows), limit_(high_bytes * 8), low_bits_(low_bits), count_(count) {}

  // How many of the distances are at most `x`; the last one of them, 0 for none; the first one
  // behind, if there is one.
  struct Found {
    unsigned number;
    std::uint64_t last;
    std::uint64_t next;
  };
  bool find(std::uint64_t x, Found& found) const;
  // All of them. False when there are fewer than there should be.
  bool all(std::array<std::uint64_t, kBlock>& distances) const;

 private:
  static constexpr unsigned kStep = base::kMostBits - 7;  // bits that one load gives at least

  std::uint64_t low_mask() const { return ~(~std::uint64_t{0} << low_bits_); }
  std::uint64_t low(unsigned i) const {
    if (low_bits_ > kStep) [[unlikely]]
      return base::bits_at(lows_, i, low_bits_);
    const unsigned bit = i * low_bits_;
    return base::load_le<std::uint64_t>(lows_ + bit / 8) >> (bit % 8) & low_mask();
  }
  // The bits from the one at `place` on.
  std::uint64_t from(unsigned place) const {
    return base::load_le<std::uint64_t>(highs_ + place / 8) >> (place % 8);
  }
  // The bits below the one at `place`, the next one highest. REQUIRES: place > 0.
  std::uint64_t until(unsigned place) const {
    const unsigned byte = (place - 1) / 8;
    const unsigned begin = byte < 8 ? 0 : byte - 7;
    return base::load_le<std::uint64_t>(highs_ + begin) << (base::kMostBits - (place - begin * 8));
  }
  // The high bits, 64 of them; those behind the end are 0.
  std::uint64_t word(unsigned number) const {
    const std::uint64_t all = base::load_le<std::uint64_t>(highs_ + number * 8);
    const unsigned left = limit_ - number * base::kMostBits;
    return left >= base::kMostBits ? all : all & ~(~std::uint64_t{0} << left);
  }
  // Where the numbers with those high bits begin; the end when there are none so high.
  unsigned bucket_begin(std::uint64_t high) const;
  // To the first bit set from `place` on, to the last one below it. False when there is none.
  bool go_on(unsigned& place) const;
  bool go_back(unsigned& place) const;

  const std::byte* highs_ = nullptr;
  const std::byte* lows_ = nullptr;
  unsigned limit_ = 0;  // bits
  unsigned low_bits_ = 0;
  unsigned count_ = 0;
};

inline unsigned TimesView::bucket_begin(std::uint64_t high) const {
  if (high == 0) return 0;
  std::uint64_t left = high - 1;
  for (unsigned number = 0; number * base::kMostBits < limit_; ++number) {
    const std::uint64_t zeros = ~word(number);
    const std::uint64_t sums = base::byte_sums(zeros);
    const std::uint64_t in_word = sums >> (base::kMostBits - 8);
    if (left < in_word)
      return std::min(number * base::kMostBits + base::place_of_one(zeros, sums, left) + 1, limit_);
    left -= in_word;
  }
  return limit_;
}

// Mostly one load holds it.
inline bool TimesView::go_on(unsigned& place) const {
  std::uint64_t ones = from(place);
  while (ones == 0 && place < limit_) [[unlikely]]
    ones = from(place += kStep);
  place += static_cast<unsigned>(std::countr_zero(ones));
  return ones != 0;
}

inline bool TimesView::go_back(unsigned& place) const {
  std::uint64_t ones = until(place);
  while (ones == 0 && place > kStep) [[unlikely]]
    ones = until(place -= kStep);
  place -= 1 + static_cast<unsigned>(std::countl_zero(ones));
  return ones != 0;
}

// Without a branch for the first and for the last: what is not asked for is looked up all the same.
inline bool TimesView::find(std::uint64_t x, Found& found) const {
  const std::uint64_t high = x >> low_bits_;
  const std::uint64_t low_x = x & low_mask();
  unsigned place = bucket_begin(high);
  unsigned number = place < limit_ ? place - static_cast<unsigned>(high) : count_;
  if (number > count_) return false;
  for (std::uint64_t ones = from(place); (ones & 1) != 0 && number < count_; ones >>= 1) {
    if (place == limit_ || low(number) > low_x) break;
    ++number;
    ++place;
    if (ones == 1) [[unlikely]]
      ones = from(place) << 1;
  }
  unsigned before = std::max(place, 1U);
  const bool has_last = go_back(before);
  const unsigned of_last = number == 0 ? 0 : number - 1;
  const std::uint64_t last = std::uint64_t{before - of_last} << low_bits_ | low(of_last);
  found.number = number;
  found.last = number == 0 ? 0 : last;
  const bool has_next = go_on(place);
  found.next = std::uint64_t{place - number} << low_bits_ | low(number);
  return (has_last || number == 0) && (has_next || number == count_);
}

inline bool TimesView::all(std::array<std::uint64_t, kBlock>& distances) const {
  unsigned i = 0;
  for (unsigned number = 0; number * base::kMostBits < limit_; ++number) {
    for (std::uint64_t ones = word(number); ones != 0 && i < count_; ones &= ones - 1, ++i) {
      const unsigned at = number * base::kMostBits + static_cast<unsigned>(std::countr_zero(ones));
      distances[i] = std::uint64_t{at - i} << low_bits_ | low(i);
    }
  }
  return i == count_;
}

}  // namespace polytrace::history
