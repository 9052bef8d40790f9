// SPDX-License-Identifier: Apache-2.0
#include "analysis/memory/root_places.hpp"

#include <algorithm>

namespace polytrace::analysis {

void RootPlaces::apply(const Change& change) {
  if (change.group == kNone) live_.erase(change.start);
  else live_[change.start] = change.group;
}

// The region with the greatest start that is not above the address.
void RootPlaces::count_root(base::Id address) {
  const auto above = live_.upper_bound(address);
  if (above == live_.begin()) {
    ++nowhere_;
    return;
  }
  const std::uint32_t group = std::prev(above)->second;
  if (group >= counts_.size()) counts_.resize(group + std::size_t{1});
  ++counts_[group];
}

void RootPlaces::place(std::size_t count) {
  std::ranges::stable_sort(changes_, {}, &Change::time);
  std::ranges::stable_sort(roots_, {}, &Root::time);
  std::size_t applied = 0;
  for (std::size_t i = 0; i < count; ++i) {
    while (applied < changes_.size() && changes_[applied].time <= roots_[i].time)
      apply(changes_[applied++]);
    count_root(roots_[i].address);
  }
  changes_.erase(changes_.begin(), changes_.begin() + static_cast<std::ptrdiff_t>(applied));
  roots_.erase(roots_.begin(), roots_.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace polytrace::analysis
