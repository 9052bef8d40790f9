// SPDX-License-Identifier: Apache-2.0
// Allocations of which one in so many bytes is told: each byte has the same chance, whatever the
// sizes and their order, so that what is told can stand for the rest.
#pragma once

#include <cstdint>

namespace polytrace::agent {

// Of the calling thread: a number above 0, up to 1.
double random_part();

// How many of its size an object stands for that was told because one of its bytes was chosen, one
// in `interval` on average. Rounded by chance, so that sums are right.
std::uint32_t sample_weight(std::uint64_t size, std::uint64_t interval);

// Whether an object that was told because one of its bytes was chosen, one in `interval`, is one of
// those that are told at a longer interval.
bool stays_chosen(std::uint64_t size, std::uint64_t interval, std::uint64_t longer);

// Chooses the bytes. One thread's; constant-initialised.
class AllocSampler {
 public:
  // An object was allocated. True: it is to be told, with its sample_weight().
  bool chooses(std::uint64_t size, std::uint64_t interval) {
    left_ -= static_cast<double>(size);
    if (left_ > 0) [[likely]]
      return false;
    return choose_next(interval);
  }

 private:
  bool choose_next(std::uint64_t interval);

  double left_ = 0;  // bytes before the next one
  bool begun_ = false;
};

}  // namespace polytrace::agent
