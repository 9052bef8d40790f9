// SPDX-License-Identifier: Apache-2.0
// What was allocated between any two times, and mostly where. Memory is limited: where there are
// more allocations than it has room for, those of one place that lie close together become one.
// One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "analysis/table/words.hpp"
#include "base/types.hpp"

namespace polytrace::analysis {

class AllocationLog {
 public:
  using BySite = std::map<std::uint32_t, std::uint64_t>;  // bytes
  struct Interval {
    std::uint64_t bytes = 0;
    std::uint32_t site = NameTable::kNone;  // where most bytes were allocated
  };

  explicit AllocationLog(std::size_t room = std::size_t{1} << 20) : room_(room) {}

  // In any order.
  void add(base::Time time, std::uint32_t site, std::uint64_t bytes);
  bool empty() const { return entries_.empty(); }
  // By time of `ends`, which are in order: what was allocated since the one before.
  std::vector<Interval> until(std::span<const base::Time> ends);
  // The site of most bytes, of several the first one; kNone where there are none.
  static std::uint32_t heaviest(const BySite& sites);
  // Times are right to within so many nanoseconds; 0: exact.
  std::uint64_t inexact() const { return width_ == 1 ? 0 : width_; }

 private:
  struct Entry {
    base::Time time;
    std::uint64_t bytes;
    std::uint32_t site;
  };
  void make_room();
  void forget_sites();

  std::size_t room_;
  std::uint64_t width_ = 1;
  std::vector<Entry> entries_;
};

}  // namespace polytrace::analysis
