// SPDX-License-Identifier: Apache-2.0
// Hash with a seed of the process, for all tables by what a trace says. Ids are addresses, or
// numbers with marks in their high bits: by their own bits they would collide by the thousand, and
// a table would grow without end; with a seed, a hostile file cannot choose its collisions either.
// The order of such a table is another one in every process: nothing may come out in it.
// Thread-safe.
#pragma once

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include <cstdint>
#include <string_view>

#include "base/types.hpp"

namespace polytrace::base {

// Another number in every process.
std::uint64_t process_seed();

struct SeededHash {
  std::size_t operator()(std::uint64_t key) const;
  std::size_t operator()(std::string_view text) const;
};

template <class Value>
using IdMap = tsl::robin_map<Id, Value, SeededHash>;
using IdSet = tsl::robin_set<Id, SeededHash>;

}  // namespace polytrace::base
