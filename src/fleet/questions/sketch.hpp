// SPDX-License-Identifier: Apache-2.0
// Quantiles from the buckets that a store keeps: those of base::DurationSketch, sparse.
#pragma once

#include <array>
#include <span>

#include "analysis/table/table.hpp"
#include "base/duration_sketch.hpp"

namespace polytrace::fleet {

inline constexpr std::array<unsigned, 3> kQuantiles{50, 95, 99};

// Those of kQuantiles, as cells; not known where there is nothing. Buckets beyond the sketch's are
// left out. `tally` may be larger than a counter of the sketch holds: all are scaled then.
inline std::array<analysis::Cell, kQuantiles.size()> quantiles(
    std::span<const std::uint16_t> bucket, std::span<const std::uint64_t> tally) {
  std::uint64_t most = 0;
  for (const std::uint64_t count : tally) most = std::max(most, count);
  const std::uint64_t scale = most / (UINT32_MAX / 2) + 1;
  std::vector<std::uint32_t> counts(base::DurationSketch::kBuckets);
  bool is_empty = true;
  for (std::size_t i = 0; i < bucket.size() && i < tally.size(); ++i) {
    if (bucket[i] >= counts.size() || tally[i] == 0) continue;
    counts[bucket[i]] = static_cast<std::uint32_t>((tally[i] - 1) / scale + 1);
    is_empty = false;
  }
  std::array<analysis::Cell, kQuantiles.size()> cells{};
  if (is_empty) return cells;
  const auto sketch = base::DurationSketch::of(0, std::move(counts));
  for (std::size_t i = 0; i < kQuantiles.size(); ++i) cells[i] = sketch.quantile(kQuantiles[i]);
  return cells;
}

}  // namespace polytrace::fleet
