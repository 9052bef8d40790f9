// SPDX-License-Identifier: Apache-2.0
// Events that found no memory and whose thread can no longer say so itself. Nothing here allocates;
// whoever calls holds Threads::mutex.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/types.hpp"

namespace polytrace::agent {

struct Loss {
  base::Id thread = base::kNoId;
  std::uint64_t lost = 0;
  std::uint64_t from = 0;  // ticks of the first and the last of them
  std::uint64_t to = 0;
};

class Losses {
 public:
  // Beyond kMost threads, their losses are one.
  void add(const Loss& loss) {
    if (loss.lost == 0) return;
    if (count_ < kMost) {
      of_[count_++] = loss;
      return;
    }
    rest_ = rest_.lost == 0 ? Loss{base::kNoId, loss.lost, loss.from, loss.to}
                            : Loss{base::kNoId, rest_.lost + loss.lost,
                                   std::min(rest_.from, loss.from), std::max(rest_.to, loss.to)};
  }
  template <class Take>
  void each(const Take& take) const {
    std::for_each_n(of_.begin(), count_, take);
    if (rest_.lost != 0) take(rest_);
  }

 private:
  static constexpr std::size_t kMost = 512;
  std::array<Loss, kMost> of_;
  std::size_t count_ = 0;
  Loss rest_;
};

}  // namespace polytrace::agent
