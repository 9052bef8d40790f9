// SPDX-License-Identifier: Apache-2.0
#include "store/file/eviction.hpp"

#include <algorithm>
#include <numeric>

namespace polytrace::store {
namespace {

bool is_old_draft(const KeptIndex& kept, std::int64_t now) {
  return kept.draft_bytes != 0 && !kept.locked && now - kept.drafted > kDraftAge;
}

std::vector<std::size_t> by_last_use(std::span<const KeptIndex> kept) {
  std::vector<std::size_t> order(kept.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return kept[i].used; });
  return order;
}

}  // namespace

std::vector<Removal> evictions(std::span<const KeptIndex> kept, std::uint64_t limit,
                               std::int64_t now) {
  std::vector<Removal> removals;
  std::vector<std::uint64_t> left;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    left.push_back(kept[i].bytes);
    if (!is_old_draft(kept[i], now)) continue;
    left[i] -= std::min(left[i], kept[i].draft_bytes);
    removals.push_back({i, left[i] == 0 ? Removal::What::all : Removal::What::draft});
  }
  std::uint64_t sum = std::accumulate(left.begin(), left.end(), std::uint64_t{0});
  for (const std::size_t i : by_last_use(kept)) {
    if (sum <= limit) break;
    if (kept[i].locked || left[i] == 0) continue;
    sum -= left[i];
    std::erase_if(removals, [&](const Removal& one) { return one.index == i; });
    removals.push_back({i, Removal::What::all});
  }
  return removals;
}

std::uint64_t usual_limit(std::uint64_t file_system) {
  constexpr std::uint64_t kMost = std::uint64_t{20} << 30;
  constexpr std::uint64_t kShare = 10;
  return std::min(kMost, file_system / kShare);
}

}  // namespace polytrace::store
