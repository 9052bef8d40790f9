// SPDX-License-Identifier: Apache-2.0
// How far a stream is, for who wants to know where in it a time is: of each second its first block.
// One thread at a time.
#pragma once

#include <algorithm>
#include <vector>

#include "base/types.hpp"

namespace polytrace::collector {

class PinWatch {
 public:
  // It is taken up there.
  void begin(std::uint64_t block) {
    passed_.clear();
    begun_ = block;
  }
  // The latest wall time of any event up to the end of that block, which never goes back.
  void note(std::uint64_t block, base::Time latest, base::Time kept) {
    if (latest == base::kNoTime) return;
    if (passed_.empty() || latest >= passed_.back().latest + kStep)
      passed_.push_back({block, latest});
    if (passed_.size() > 1 && passed_[1].latest < latest - kept) passed_.erase(passed_.begin());
  }
  // No block before it has an event of that wall time or later. What is not known any more is the
  // oldest that is.
  std::uint64_t first_of(base::Time wall) const {
    const auto behind =
        std::ranges::partition_point(passed_, [&](const Passed& one) { return one.latest < wall; });
    if (behind != passed_.begin()) return std::prev(behind)->block + 1;
    const std::uint64_t oldest = passed_.empty() ? begun_ : passed_.front().block;
    return oldest - std::min(oldest, kUnknown);
  }

  // When the next of its pins is whole, by the stream's wall times: all before is cheap.
  base::Time waits_for = INT64_MAX;

 private:
  struct Passed {
    std::uint64_t block;
    base::Time latest;
  };
  static constexpr base::Time kStep = 1'000'000'000;
  // Blocks before the oldest known one, where a stream is taken up in its middle.
  static constexpr std::uint64_t kUnknown = 50;

  std::vector<Passed> passed_{};
  std::uint64_t begun_ = 0;
};

}  // namespace polytrace::collector
