// SPDX-License-Identifier: Apache-2.0
// Tiles of a time line: what calls, waits, compilations, marks, pauses and collections look like
// from a given distance. A tile is 512 buckets of 2^L ns wide and 64 rows high; it is a pure
// function of the trace and its address. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "service/trace/tracks.hpp"

namespace polytrace::service {

inline constexpr std::int64_t kTileBuckets = 512;
inline constexpr std::uint32_t kTileRows = 64;
inline constexpr std::uint32_t kMostTileItems = 200'000;
inline constexpr std::size_t kMostTiles = 100'000;  // of one answer

struct TilesQuestion {
  struct Wanted {
    std::uint32_t track = 0;                // number
    std::vector<std::uint32_t> bands = {};  // empty: all that there are
  };
  std::vector<Wanted> tracks{};
  std::int64_t from = 0;  // offsets
  std::int64_t to = 0;
  std::uint32_t width = 1;  // pixels
  std::uint32_t budget = 40'000;
  const std::atomic<bool>* stop = nullptr;
};
// In the layout of docs/reference/ui.md, "Tiles". Whole tiles of the finest level whose buckets are
// no wider than a pixel, coarser while they are more than the budget. Errors: usage of a track that
// there is not; those of frames; limit_exceeded when asked to stop, or beyond kMostTiles.
base::result<std::string> tiles(const IndexedTrace& trace, const Tracks& tracks,
                                const TilesQuestion& question);

struct TileAddress {
  std::uint32_t track = 0;
  unsigned level = 0;
  std::int64_t index = 0;
  std::uint32_t band = 0;
};
base::result<std::string> tile(const IndexedTrace& trace, const Tracks& tracks,
                               const TileAddress& address, const std::atomic<bool>* stop);

}  // namespace polytrace::service
