// SPDX-License-Identifier: Apache-2.0
// Gives source ids dense indexes (0, 1, 2 ... in order of first sight), so that tables can be plain
// vectors. A small direct-mapped cache stands before the hash table: call streams look up the
// same few ids over and over. It grows with the table up to 16 KiB: who reads thousands of traces
// at once has as many tables. One thread at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/seeded_hash.hpp"

namespace polytrace::base {

class IdTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // The index of `id`; a new one on first sight.
  [[gnu::always_inline]] std::uint32_t index(Id id) {
    Cached& cached = cache_[slot(id)];
    if (cached.id == id) [[likely]]
      return cached.index;
    return look_up(id);
  }
  std::uint32_t find(Id id) const {
    const auto found = indexes_.find(id);
    return found == indexes_.end() ? kNone : found->second;
  }
  // From now on `id` means a new thing: gives it a new index.
  std::uint32_t renew(Id id) {
    const auto fresh = static_cast<std::uint32_t>(ids_.size());
    ids_.push_back(id);
    indexes_[id] = fresh;
    cache_[slot(id)] = {id, fresh};
    return fresh;
  }
  Id id(std::uint32_t index) const { return ids_[index]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(ids_.size()); }

 private:
  struct Cached {
    Id id = 0;
    std::uint32_t index = kNone;
  };
  static constexpr unsigned kFirstBits = 4;
  static constexpr unsigned kMostBits = 10;
  // An empty entry holds an id that belongs elsewhere, whatever the size: the check for it costs
  // nothing. (0 belongs to the first entry, 1 to a later one.)
  static constexpr Id kOfAnotherSlot = 1;
  static std::vector<Cached> cache_of(unsigned bits) {
    std::vector<Cached> cache(std::size_t{1} << bits);
    cache[0].id = kOfAnotherSlot;
    return cache;
  }
  std::size_t slot(Id id) const { return (id * 0x9e3779b97f4a7c15U) >> shift_; }

  // Apart, so that index() stays small.
  [[gnu::noinline]] std::uint32_t look_up(Id id) {
    const auto [entry, fresh] = indexes_.try_emplace(id, size());
    if (fresh) {
      ids_.push_back(id);
      if (ids_.size() > cache_.size() && cache_.size() < (std::size_t{1} << kMostBits)) widen();
    }
    cache_[slot(id)] = {id, entry->second};
    return entry->second;
  }
  void widen() {
    const unsigned bits = std::min(kMostBits, 64 - shift_ + 2);
    cache_ = cache_of(bits);
    shift_ = 64 - bits;
  }

  std::vector<Cached> cache_ = cache_of(kFirstBits);  // a power of two
  unsigned shift_ = 64 - kFirstBits;
  IdMap<std::uint32_t> indexes_;
  std::vector<Id> ids_;
};

}  // namespace polytrace::base
