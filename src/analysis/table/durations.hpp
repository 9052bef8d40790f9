// SPDX-License-Identifier: Apache-2.0
// Durations of one kind of thing: count, total, longest, percentiles; in nanoseconds.
#pragma once

#include <algorithm>
#include <vector>

#include "analysis/table/table.hpp"

namespace polytrace::analysis {

class Durations {
 public:
  void add(std::uint64_t duration) {
    all_.push_back(duration);
    total_ += duration;
    longest_ = std::max(longest_, duration);
  }
  void merge(const Durations& other) {
    for (const std::uint64_t duration : other.all_) add(duration);
  }
  std::uint64_t count() const { return all_.size(); }
  std::uint64_t total() const { return total_; }
  std::uint64_t longest() const { return longest_; }

  // The smallest duration that at least `percent` of all do not exceed (nearest rank); unknown
  // when there are none.
  Cell percentile(unsigned percent) const {
    if (all_.empty()) return {};
    std::vector<std::uint64_t> sorted = all_;
    const std::size_t rank = (sorted.size() * percent + 99) / 100;
    const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(rank == 0 ? 0 : rank - 1);
    std::nth_element(sorted.begin(), place, sorted.end());
    return *place;
  }

 private:
  std::vector<std::uint64_t> all_;
  std::uint64_t total_ = 0;
  std::uint64_t longest_ = 0;
};

}  // namespace polytrace::analysis
