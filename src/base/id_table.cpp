// SPDX-License-Identifier: Apache-2.0
#include "base/id_table.hpp"

#include <xxhash.h>

#include <random>

namespace polytrace::base {
namespace {

std::uint64_t random_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

}  // namespace

std::size_t IdTable::Hash::operator()(Id id) const {
  static const std::uint64_t seed = random_seed();
  return XXH3_64bits_withSeed(&id, sizeof id, seed);
}

std::uint32_t IdTable::insert(Id id) {
  const auto [entry, fresh] = indexes_.try_emplace(id, size());
  if (fresh) ids_.push_back(id);
  return entry->second;
}

}  // namespace polytrace::base
