// SPDX-License-Identifier: Apache-2.0
// Numbers over time, in buckets of a power of two nanoseconds: what threads did, heap sizes,
// counters. Any thread.
#pragma once

#include <string>
#include <vector>

#include "service/trace/tracks.hpp"

namespace polytrace::service {

inline constexpr std::uint32_t kMostPoints = 262'144;  // of a series
inline constexpr std::uint64_t kMostPointsOfAll = std::uint64_t{1} << 21;

struct SeriesQuestion {
  std::vector<std::uint32_t> tracks{};  // numbers
  std::int64_t from = 0;                // offsets
  std::int64_t to = 0;
  std::uint32_t points = 1;  // buckets are no wider than [from, to) divided by that
  const std::atomic<bool>* stop = nullptr;
};
// In the layout of docs/reference/ui.md, "Series". Errors: usage of a track that is no series;
// those of frames; limit_exceeded when asked to stop, or beyond kMostPointsOfAll.
base::result<std::string> series(const IndexedTrace& trace, const Tracks& tracks,
                                 const SeriesQuestion& question);

}  // namespace polytrace::service
