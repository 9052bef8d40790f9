// SPDX-License-Identifier: Apache-2.0
// Quantiles of many durations in little memory: counters for buckets that are each a sixteenth of a
// power of two wide, so that a quantile is off by at most 1/33 of its value, whatever the
// distribution. At most 4 KiB; as a rule some hundred bytes. Sketches merge without further error.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace polytrace::base {

class DurationSketch {
 public:
  // Of every call: a compiler that finds it in many places would not inline it.
  [[gnu::always_inline]] void add(std::uint64_t duration) {
    const std::uint32_t its = bucket(duration);
    if (its - lowest_ >= counts_.size()) [[unlikely]]
      widen(its);
    std::uint32_t& count = counts_[its - lowest_];
    count += count != kMost;
  }
  // That such a one comes soon: its counter is not waited for then.
  [[gnu::always_inline]] void expect(std::uint64_t duration) const {
    const std::uint32_t at = bucket(duration) - lowest_;
    if (at < counts_.size()) __builtin_prefetch(counts_.data() + at, 1);
  }
  void merge(const DurationSketch& other) {
    for (std::size_t i = 0; i < other.counts_.size(); ++i) {
      const std::uint32_t at = other.lowest_ + static_cast<std::uint32_t>(i);
      if (other.counts_[i] == 0) continue;
      if (at - lowest_ >= counts_.size()) widen(at);
      std::uint32_t& count = counts_[at - lowest_];
      count += std::min(other.counts_[i], kMost - count);
    }
  }
  bool empty() const { return counts_.empty(); }
  // Whether add() would take no more memory.
  bool has_room(std::uint64_t duration) const {
    return bucket(duration) - lowest_ < counts_.size();
  }
  std::size_t bytes() const { return counts_.capacity() * sizeof counts_[0]; }
  // As a file keeps it: the counters of buckets from the lowest on.
  std::uint32_t lowest() const { return lowest_; }
  std::span<const std::uint32_t> counts() const { return counts_; }
  static constexpr std::uint32_t kBuckets = 16 * 61;
  // REQUIRES: no bucket of them is beyond kBuckets.
  static DurationSketch of(std::uint32_t lowest, std::vector<std::uint32_t> counts) {
    DurationSketch sketch;
    sketch.lowest_ = lowest;
    sketch.counts_ = std::move(counts);
    return sketch;
  }
  // The nearest-rank quantile, `percent` of 0 to 100. REQUIRES: not empty().
  std::uint64_t quantile(unsigned percent) const {
    std::uint64_t all = 0;
    for (const std::uint32_t count : counts_) all += count;
    const std::uint64_t rank = std::max<std::uint64_t>((all * percent + 99) / 100, 1);
    std::uint64_t seen = 0;
    std::size_t i = 0;
    while ((seen += counts_[i]) < rank) ++i;
    return middle(lowest_ + static_cast<std::uint32_t>(i));
  }

 private:
  static constexpr std::uint32_t kMost = ~std::uint32_t{0};  // where a counter stays
  static constexpr unsigned kBits = 4;
  static constexpr std::uint32_t kParts = 1U << kBits;
  static constexpr std::uint32_t kMargin = 8;

  // Durations below kParts have a bucket each.
  static std::uint32_t bucket(std::uint64_t duration) {
    const auto width = static_cast<std::uint32_t>(std::bit_width(duration | (2 * kParts - 1)));
    const std::uint32_t shift = width - kBits - 1;
    return (shift << kBits) + static_cast<std::uint32_t>(duration >> shift);
  }
  static std::uint64_t middle(std::uint32_t bucket) {
    if (bucket < kParts) return bucket;
    const std::uint32_t shift = (bucket >> kBits) - 1;
    const std::uint64_t low = std::uint64_t{kParts + (bucket & (kParts - 1))} << shift;
    return low + ((std::uint64_t{1} << shift) - 1) / 2;
  }
  void widen(std::uint32_t at) {
    const std::uint32_t low = at < kMargin ? 0 : at - kMargin;
    const bool fresh = counts_.empty();
    const std::uint32_t from = fresh ? low : std::min(lowest_, low);
    const auto end = static_cast<std::uint32_t>(fresh ? 0 : lowest_ + counts_.size());
    std::vector<std::uint32_t> counts(std::max(end, at + kMargin) - from);
    std::ranges::copy(counts_, counts.begin() + (fresh ? 0 : lowest_ - from));
    counts_ = std::move(counts);
    lowest_ = from;
  }

  std::vector<std::uint32_t> counts_;
  std::uint32_t lowest_ = 0;  // bucket of counts_[0]
};

}  // namespace polytrace::base
