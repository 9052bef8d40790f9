// SPDX-License-Identifier: Apache-2.0
#include "agent/common/tools/alloc_sampler.hpp"

#include <algorithm>
#include <cmath>

namespace polytrace::agent {
namespace {

// That one of an object's bytes is chosen.
double chance(std::uint64_t size, std::uint64_t interval) {
  const auto at_least_one = [](std::uint64_t n) {
    return static_cast<double>(std::max<std::uint64_t>(n, 1));
  };
  return -std::expm1(-at_least_one(size) / at_least_one(interval));
}

}  // namespace

// A generator of Marsaglia's.
double random_part() {
  static thread_local constinit std::uint64_t state = 0;
  if (state == 0) state = reinterpret_cast<std::uintptr_t>(&state) | 1;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return static_cast<double>((state >> 11) + 1) * 0x1p-53;
}

std::uint32_t sample_weight(std::uint64_t size, std::uint64_t interval) {
  const double weight = 1 / chance(size, interval) + 1 - random_part();
  return static_cast<std::uint32_t>(std::min(weight, 0x1p32 - 1));
}

bool stays_chosen(std::uint64_t size, std::uint64_t interval, std::uint64_t longer) {
  return random_part() * chance(size, interval) <= chance(size, longer);
}

// Distances between bytes chosen so are exponential and know nothing of what was before.
bool AllocSampler::choose_next(std::uint64_t interval) {
  const bool chosen = begun_;
  begun_ = true;
  left_ = -std::log(random_part()) * static_cast<double>(interval);
  return chosen;
}

}  // namespace polytrace::agent
