// SPDX-License-Identifier: Apache-2.0
// Each method's own time, call by call: CallTree adds what each call had without its callees. Of
// wall time, some calls are long because their thread had to wait for a processor: without the
// longest hundredth of a method's calls, the sum says what the method itself does.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace polytrace::analysis {

class OwnTimes {
 public:
  struct Sums {
    std::uint64_t calls = 0;
    std::uint64_t time = 0;                  // nanoseconds
    std::array<std::uint64_t, 8> longest{};  // of single calls, the longest first

    // Without the longest hundredth of the calls: no more than are known, none of a few calls.
    std::uint64_t trimmed() const {
      constexpr std::uint64_t kFew = 10;
      const std::uint64_t hundredth = calls < kFew ? 0 : (calls + 99) / 100;
      std::uint64_t left = time;
      for (std::size_t i = 0; i < std::min<std::uint64_t>(hundredth, longest.size()); ++i)
        left -= longest[i];
      return left;
    }
    void merge(const Sums& other) {
      calls += other.calls;
      time += other.time;
      for (const std::uint64_t one : other.longest) insert(one);
    }
    void insert(std::uint64_t one) {
      for (std::uint64_t& known : longest)
        if (one > known) std::swap(one, known);
    }
  };

  // `method`: an index of Names::methods().
  void add(std::uint32_t method, std::uint64_t self) {
    if (method >= sums_.size()) [[unlikely]]
      sums_.resize(method + sums_.size() / 2 + 256);
    Sums& sums = sums_[method];
    ++sums.calls;
    sums.time += self;
    if (self > sums.longest.back()) [[unlikely]]
      sums.insert(self);
  }
  Sums of(std::uint32_t method) const { return method < sums_.size() ? sums_[method] : Sums{}; }

 private:
  std::vector<Sums> sums_;
};

}  // namespace polytrace::analysis
