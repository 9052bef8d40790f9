// SPDX-License-Identifier: Apache-2.0
// What makers of time lines hold back, and how they say so: events beyond the target's limit, and
// copies of samples that count for many. One thread at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "exports/job/account.hpp"

namespace polytrace::exports {

// How many events a target holds, and how many were cut.
class EventCap {
 public:
  // 0 = no limit.
  explicit EventCap(std::uint64_t limit)
      : most_(limit == 0 ? std::numeric_limits<std::uint64_t>::max() : limit) {}

  // Whether the target takes one more event; counts it either way.
  bool admit() {
    if (held_ >= most_) [[unlikely]] {
      ++cut_;
      return false;
    }
    ++held_;
    return true;
  }
  // One that is taken whatever the limit.
  void add() { ++held_; }
  void tell(Account& account) const {
    account.cut("events", cut_, "--limit " + std::to_string(most_));
  }

 private:
  std::uint64_t most_;
  std::uint64_t held_ = 0;
  std::uint64_t cut_ = 0;
};

// How often to write a sample that counts for several, where a target has no weights.
class SampleCopies {
 public:
  // At least 1.
  std::uint64_t take(std::uint64_t weight) {
    const std::uint64_t wanted = std::max<std::uint64_t>(weight, 1) - 1;
    const std::uint64_t extra = std::min({wanted, kMostCopies - 1, extra_left_});
    extra_left_ -= extra;
    capped_ += wanted - extra;
    return extra + 1;
  }
  void tell(Account& account) const {
    if (capped_ != 0)
      account.notes.push_back(std::to_string(capped_) +
                              " copies of samples left out that count for many.");
  }

 private:
  static constexpr std::uint64_t kMostCopies = 1000;    // of one sample
  static constexpr std::uint64_t kMostExtra = 1000000;  // of all samples together

  std::uint64_t extra_left_ = kMostExtra;
  std::uint64_t capped_ = 0;
};

}  // namespace polytrace::exports
