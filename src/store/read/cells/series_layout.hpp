// SPDX-License-Identifier: Apache-2.0
// What a thread's calls add up to in buckets of 2^level ns (docs/formats/index.md, "Series"): in
// the file SVB columns of the difference to the bucket before (zigzag; of the first: from 0), ns in
// calls, calls that begin.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::store {

inline constexpr unsigned kLeastSeriesLevel = 15;
inline constexpr std::size_t kMostSeries = 65'536;  // entries of a frame

struct SeriesEntry {
  std::int64_t bucket;
  std::uint64_t in_calls;  // ns, of the blocks that the frame is of
  std::uint64_t calls;     // that begin

  bool operator==(const SeriesEntry&) const = default;
};

// The payload of a SERI frame. REQUIRES: at most kMostSeries.
void append_series(const std::vector<SeriesEntry>& entries, std::string& payload);
// Appends to `into`. Errors: those of base::read_svb, value_unexpected where columns do not fit
// together, trailing_bytes.
base::result<void> read_series(base::Bytes payload, std::vector<SeriesEntry>& into);

}  // namespace polytrace::store
