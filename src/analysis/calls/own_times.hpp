// SPDX-License-Identifier: Apache-2.0
// How much of each method's own time was waited, and what its longest calls had: CallTree adds what
// each call had without its callees. Of wall time, some calls are long because their thread had to
// wait for a processor: without the longest hundredth, a sum says what the method itself does.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

namespace polytrace::analysis {

class OwnTimes {
 public:
  // Nanoseconds.
  struct Sums {
    std::uint64_t calls = 0;
    std::uint64_t waits = 0;                 // of the own time, known ones
    std::array<std::uint64_t, 8> longest{};  // of single calls without waits, the longest first

    // Of the longest hundredth of the calls: of no more than are known, of none of a few.
    std::uint64_t late() const {
      constexpr std::uint64_t kFew = 10;
      const std::uint64_t hundredth = calls < kFew ? 0 : (calls + 99) / 100;
      const auto count = std::min<std::uint64_t>(hundredth, longest.size());
      return std::accumulate(longest.begin(), longest.begin() + static_cast<std::ptrdiff_t>(count),
                             std::uint64_t{0});
    }
    void insert(std::uint64_t one) {
      for (std::uint64_t& known : longest)
        if (one > known) std::swap(one, known);
    }
  };

  // `method`: an index of Names::methods(). A call's own time, and that without known waits.
  void add(std::uint32_t method, std::uint64_t self, std::uint64_t worked) {
    if (method >= sums_.size()) [[unlikely]]
      sums_.resize(method + sums_.size() / 2 + 256);
    Sums& sums = sums_[method];
    ++sums.calls;
    sums.waits += self - worked;
    if (worked > sums.longest.back()) [[unlikely]]
      sums.insert(worked);
  }
  Sums of(std::uint32_t method) const { return method < sums_.size() ? sums_[method] : Sums{}; }

 private:
  std::vector<Sums> sums_;
};

}  // namespace polytrace::analysis
