// SPDX-License-Identifier: Apache-2.0
// Bursts of exceptions: throws of one class that follow each other within a tenth of a second.
// Keeps the time of every throw, up to kMostThrows. One thread at a time.
#pragma once

#include <vector>

#include "analysis/table/words.hpp"

namespace polytrace::analysis {

class ThrowBursts {
 public:
  static constexpr std::size_t kMostThrows = std::size_t{1} << 20;
  static constexpr std::uint64_t kGap = 100'000'000;  // nanoseconds
  static constexpr std::uint64_t kFewest = 20;        // below that it is no burst

  struct Burst {
    std::uint32_t type = 0;  // class index, kNone: unknown
    std::uint32_t site = 0;  // method index of the most throws, kNone: unknown
    std::uint64_t count = 0;
    base::Time first = base::kNoTime;
    base::Time last = base::kNoTime;
    double per_second() const;
  };

  void add(base::Time time, std::uint32_t type, std::uint32_t site);
  // Once, with the final class of every class index.
  void finish(const Names& names);
  const std::vector<Burst>& bursts() const { return bursts_; }  // most throws first
  std::uint64_t left_out() const { return left_out_; }

 private:
  struct Throw {
    std::uint32_t type;
    std::uint32_t site;
    base::Time time;
  };
  void keep(std::size_t begin, std::size_t end);

  std::vector<Throw> throws_;
  std::vector<Burst> bursts_;
  std::uint64_t left_out_ = 0;
};

}  // namespace polytrace::analysis
