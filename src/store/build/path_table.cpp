// SPDX-License-Identifier: Apache-2.0
#include "store/build/path_table.hpp"

#include <algorithm>
#include <utility>

#include "base/seeded_hash.hpp"
#include "store/file/block_layout.hpp"

namespace polytrace::store {
namespace {

constexpr std::size_t kFirstPlaces = 1024;

}  // namespace

PathTable::PathTable(std::uint32_t most) : most_(most), seed_(base::process_seed() | 1) {
  nodes_.push({kEmptyPath, kNoMethod, 0, 0});
  grow(kFirstPlaces);
}

std::size_t PathTable::place_of(std::uint32_t parent, std::uint32_t method) const {
  constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15U;
  const std::uint64_t key = std::uint64_t{parent} << 32 | method;
  const std::uint64_t once = (key ^ seed_) * kMix;
  const std::uint64_t twice = (once ^ once >> 32 ^ seed_) * kMix;
  return static_cast<std::size_t>(twice >> 32) & (places_.size() - 1);
}

// 0: there is none, and `place` is where it would be.
std::uint32_t PathTable::find(std::uint32_t parent, std::uint32_t method,
                              std::size_t& place) const {
  place = place_of(parent, method);
  while (const std::uint32_t path = places_[place]) {
    if (nodes_[path].parent == parent && nodes_[path].method == method) return path;
    place = (place + 1) & (places_.size() - 1);
  }
  return 0;
}

std::uint32_t PathTable::other_child(std::uint32_t parent, std::uint32_t method) {
  std::size_t place = 0;
  if (const std::uint32_t known = find(parent, method, place))
    return nodes_[parent].last_child = known;
  if (size() < most_) return add(parent, method, place);
  // Not one place of its own for each caller, so last_child stays what it is.
  if (merged_ == 0) {
    find(kEmptyPath, kNoMethod, place);
    merged_ = add(kEmptyPath, kNoMethod, place);
  }
  if (const std::uint32_t known = find(merged_, method, place)) return known;
  return add(merged_, method, place);
}

std::uint32_t PathTable::add(std::uint32_t parent, std::uint32_t method, std::size_t place) {
  const std::uint32_t path = size();
  Node& caller = nodes_[parent];
  const std::uint32_t last = caller.last_child;
  const std::uint32_t next = last == 0 ? path : nodes_[last].next;
  if (last != 0) nodes_[last].next = path;
  caller.last_child = path;
  nodes_.push({parent, method, 0, next});
  places_[place] = path;
  const bool dense = nodes_.size() * 2 > places_.size() && size() <= most_;
  if (dense || nodes_.size() * 4 > places_.size() * 3) grow(places_.size() * 2);
  return path;
}

void PathTable::grow(std::size_t places) {
  base::RawArray<std::uint32_t> larger;
  std::uint32_t* const free = larger.room(places);
  larger.grew_to(std::fill_n(free, places, 0));
  places_ = std::move(larger);
  for (std::uint32_t path = 1; path < size(); ++path) {
    std::size_t place = place_of(nodes_[path].parent, nodes_[path].method);
    while (places_[place] != 0) place = (place + 1) & (places_.size() - 1);
    places_[place] = path;
  }
}

}  // namespace polytrace::store
