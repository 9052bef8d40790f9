// SPDX-License-Identifier: Apache-2.0
// Hash of 64-bit keys with a seed of the process: a hostile file cannot choose its collisions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace polytrace::analysis {

// Another number in every process.
std::uint64_t process_seed();

struct SeededHash {
  std::size_t operator()(std::uint64_t key) const;
};

}  // namespace polytrace::analysis
