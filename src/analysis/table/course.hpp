// SPDX-License-Identifier: Apache-2.0
// Figures over time in at most 60 equal buckets, whatever the span and the order of the events:
// buckets double their width when they no longer fit. A bucket's edges are multiples of its width.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "base/types.hpp"

namespace polytrace::analysis {

// T is default constructible and has merge(const T& later).
template <class T>
class Course {
 public:
  static constexpr std::uint64_t kMost = 60;

  T& at(base::Time time) {
    const std::uint64_t place = distance(first_, time >> shift_);
    if (place < slots_.size()) return slots_[place];
    cover(time);
    return slots_[distance(first_, time >> shift_)];
  }

  std::size_t size() const { return slots_.size(); }
  const T& operator[](std::size_t i) const { return slots_[i]; }
  std::uint64_t width() const { return std::uint64_t{1} << shift_; }  // nanoseconds
  base::Time start(std::size_t i) const {
    return static_cast<base::Time>(static_cast<std::uint64_t>(first_ + static_cast<std::int64_t>(i))
                                   << shift_);
  }

 private:
  // From low to high; huge when high < low.
  static std::uint64_t distance(std::int64_t low, std::int64_t high) {
    return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  }

  void cover(base::Time time) {
    if (slots_.empty()) first_ = time >> shift_;
    const auto bounds = [&] {
      const std::int64_t bucket = time >> shift_;
      const auto count = static_cast<std::int64_t>(std::max<std::size_t>(slots_.size(), 1));
      return std::pair(std::min(first_, bucket), std::max(first_ + count - 1, bucket));
    };
    auto [low, high] = bounds();
    while (distance(low, high) >= kMost) {
      widen();
      std::tie(low, high) = bounds();
    }
    slots_.insert(slots_.begin(), distance(low, first_), T{});
    first_ = low;
    slots_.resize(distance(low, high) + 1);
  }

  void widen() {
    const auto half = [&](std::size_t i) { return (first_ + static_cast<std::int64_t>(i)) >> 1; };
    const std::int64_t first = half(0);
    std::vector<T> wider;
    if (!slots_.empty()) wider.resize(distance(first, half(slots_.size() - 1)) + 1);
    for (std::size_t i = 0; i < slots_.size(); ++i)
      wider[distance(first, half(i))].merge(slots_[i]);
    slots_ = std::move(wider);
    first_ = first;
    ++shift_;
  }

  std::vector<T> slots_;
  std::int64_t first_ = 0;  // bucket number of slots_[0]
  int shift_ = 10;          // of a time to its bucket number
};

}  // namespace polytrace::analysis
