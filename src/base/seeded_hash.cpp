// SPDX-License-Identifier: Apache-2.0
#include "base/seeded_hash.hpp"

#include <xxhash.h>

#include <random>

namespace polytrace::base {

std::uint64_t process_seed() {
  static const std::uint64_t seed = [] {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
  }();
  return seed;
}

std::size_t SeededHash::operator()(std::uint64_t key) const {
  return XXH3_64bits_withSeed(&key, sizeof key, process_seed());
}

std::size_t SeededHash::operator()(std::string_view text) const {
  return XXH3_64bits_withSeed(text.data(), text.size(), process_seed());
}

}  // namespace polytrace::base
