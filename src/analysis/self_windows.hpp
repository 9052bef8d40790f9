// SPDX-License-Identifier: Apache-2.0
// How steady a method's own time is: its self time in equal windows of the trace's time, 8 to 16 of
// them, of which a call counts in the one it ends in. What varies from window to window anyway is
// noise where two traces are compared. CallTree fills it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace polytrace::analysis {

class SelfWindows {
 public:
  static constexpr std::size_t kMost = 16;

  // `method`: an index of Names::methods().
  void add(std::uint32_t method, base::Time end, std::uint64_t self) {
    std::vector<std::uint64_t>& selfs = at(end);
    if (method >= selfs.size()) [[unlikely]]
      selfs.resize(method + selfs.size() / 2 + 256);
    selfs[method] += self;
  }
  // Nanoseconds of a method, by window.
  std::vector<double> of(std::uint32_t method) const;

 private:
  std::vector<std::uint64_t>& at(base::Time time) {
    const std::uint64_t place = static_cast<std::uint64_t>((time >> shift_) - first_);
    return place < windows_.size() ? windows_[place] : other(time);
  }
  std::vector<std::uint64_t>& other(base::Time time);
  void widen();

  std::vector<std::vector<std::uint64_t>> windows_;  // each by method
  std::int64_t first_ = 0;                           // number of windows_[0]
  int shift_ = 20;                                   // of a time to the number of its window
};

// Twice the standard error of a sum whose parts these are: what differs by less may be chance. Of
// fewer than two parts nothing is known: 0.
double noise_of(const std::vector<double>& parts);

}  // namespace polytrace::analysis
