// SPDX-License-Identifier: Apache-2.0
// The memory regions there are at a moment, by address. One thread at a time.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>

#include "base/seeded_hash.hpp"
#include "base/types.hpp"

namespace polytrace::format::monoblock {

class RegionIndex {
 public:
  struct Place {
    base::Id region;
    std::uint64_t offset;
  };

  void add(base::Id region, std::uint64_t start, std::uint64_t size) {
    remove(region);
    by_start_[start] = {region, size};
    starts_[region] = start;
  }
  void remove(base::Id region) {
    const auto known = starts_.find(region);
    if (known == starts_.end()) return;
    const auto found = by_start_.find(known->second);
    if (found != by_start_.end() && found->second.region == region) by_start_.erase(found);
    starts_.erase(known);
  }
  std::optional<Place> find(std::uint64_t address) const {
    auto after = by_start_.upper_bound(address);
    if (after == by_start_.begin()) return std::nullopt;
    const auto& [start, region] = *--after;
    if (address - start >= region.size) return std::nullopt;
    return Place{region.region, address - start};
  }

 private:
  struct Region {
    base::Id region = 0;
    std::uint64_t size = 0;
  };
  std::map<std::uint64_t, Region> by_start_;
  std::unordered_map<base::Id, std::uint64_t, base::SeededHash> starts_;
};

}  // namespace polytrace::format::monoblock
