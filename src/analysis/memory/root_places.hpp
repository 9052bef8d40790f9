// SPDX-License-Identifier: Apache-2.0
// Finds the region of each root as things were when the root was reported, although regions may be
// told of later in the trace than their roots: roots wait, some at most, and are then placed in
// order of time.
#pragma once

#include <map>
#include <vector>

#include "event/details.hpp"

namespace polytrace::analysis {

class RootPlaces {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::size_t kMostWaiting = std::size_t{1} << 20;

  // From `time` on the region `group` begins at `start`; kNone: none any more.
  void change(base::Time time, base::Id start, std::uint32_t group) {
    changes_.push_back({time, start, group});
  }
  void root(base::Time time, base::Id address) {
    if (roots_.size() == kMostWaiting) place(kMostWaiting / 2);
    roots_.push_back({time, address});
  }
  // Places what waits.
  void finish() { place(roots_.size()); }

  // Roots in regions of the group.
  std::uint64_t count(std::uint32_t group) const {
    return group < counts_.size() ? counts_[group] : 0;
  }
  std::uint64_t nowhere() const { return nowhere_; }

 private:
  struct Change {
    base::Time time;
    base::Id start;
    std::uint32_t group;
  };
  struct Root {
    base::Time time;
    base::Id address;
  };
  void place(std::size_t count);  // the oldest
  void apply(const Change& change);
  void count_root(base::Id address);

  std::vector<Change> changes_;  // not yet applied
  std::vector<Root> roots_;
  std::map<base::Id, std::uint32_t> live_;  // start to group
  std::vector<std::uint64_t> counts_;       // by group
  std::uint64_t nowhere_ = 0;
};

}  // namespace polytrace::analysis
