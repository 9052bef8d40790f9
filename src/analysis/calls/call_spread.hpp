// SPDX-License-Identifier: Apache-2.0
// How the calls of a method differ among themselves: CallTree tells each call's own time. From it
// comes how far the sum may be from that of another run that does the same.
#pragma once

#include <cstdint>
#include <vector>

namespace polytrace::analysis {

class CallSpread {
 public:
  struct Sums {
    double calls = 0;
    double time = 0;     // nanoseconds
    double squares = 0;  // of the single times

    // Of the sum of all times, if calls are independent of each other.
    double variance() const {
      return calls < 2 ? 0 : calls / (calls - 1) * (squares - time * time / calls);
    }
    void merge(const Sums& other) {
      calls += other.calls;
      time += other.time;
      squares += other.squares;
    }
  };

  // `method`: an index of Names::methods().
  void add(std::uint32_t method, std::uint64_t self) {
    if (method >= sums_.size()) [[unlikely]]
      sums_.resize(method + sums_.size() / 2 + 256);
    Sums& sums = sums_[method];
    const auto time = static_cast<double>(self);
    sums.calls += 1;
    sums.time += time;
    sums.squares += time * time;
  }
  Sums of(std::uint32_t method) const { return method < sums_.size() ? sums_[method] : Sums{}; }

 private:
  std::vector<Sums> sums_;
};

}  // namespace polytrace::analysis
