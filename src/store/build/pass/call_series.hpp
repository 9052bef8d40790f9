// SPDX-License-Identifier: Apache-2.0
// Makes the series of threads (SERI) from blocks as they become finished: time in calls and calls
// begun by buckets, at a level that suits how dense a thread's calls are, then level by level. A
// frame is written only where that pays, and nothing has to be, as with cells. One thread at a
// time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "store/build/block_encoder.hpp"
#include "store/read/block_view.hpp"
#include "store/read/cells/cell_layout.hpp"
#include "store/read/cells/series_layout.hpp"

namespace polytrace::store {

struct SeriesOptions {
  std::size_t frame_entries = 4096;     // that a frame aims at
  std::uint64_t least_events = 4096;    // of a frame
  std::uint64_t events_per_entry = 64;  // at least
  std::size_t most_bytes = 16U << 20U;  // of entries that wait for their frame
};

// Blocks of a thread in a row, and what happened in them.
struct SeriesFrame {
  std::uint32_t thread;
  unsigned level;
  std::uint64_t first_block;  // number
  std::uint32_t blocks;
  base::Time before;  // of its first block
  base::Time last;    // of its last block
  std::string payload;
};
using SeriesTaker = std::function<void(SeriesFrame)>;

// One thread's.
class ThreadSeries {
 public:
  // Its next block, and what it is decoded. `origin`: the same for all.
  void add(const SeriesOptions& options, base::Time origin, const EncodedBlock& block,
           const CallBlock& decoded, const SeriesTaker& take);
  // Writes what can be written, and begins anew behind it.
  void finish(const SeriesOptions& options, const SeriesTaker& take);
  std::size_t bytes() const;

 private:
  // The next frame of a level, so far.
  struct Level {
    std::uint64_t first_block = 0;
    std::uint32_t blocks = 0;
    base::Time before = 0;
    base::Time last = 0;
    std::uint64_t events = 0;
    std::vector<SeriesEntry> entries;
  };

  Level& level(unsigned number);
  static void extend(Level& level, const Level& by);
  static unsigned level_for(const SeriesOptions& options, const BlockHead& head);
  void close(const SeriesOptions& options, unsigned number, bool is_end, const SeriesTaker& take);

  std::uint32_t thread_ = 0;
  unsigned lowest_ = kLeastSeriesLevel;  // that blocks go to
  std::vector<Level> levels_;            // by number / kCellStep
};

// What the calls of a block are by buckets, appended: of a bucket that comes again, added.
void append_buckets(const CallBlock& block, base::Time origin, unsigned level,
                    std::vector<SeriesEntry>& entries);

// Those of all threads.
class SeriesMaker {
 public:
  explicit SeriesMaker(const SeriesOptions& options) : options_(options) {}

  void add(base::Time origin, const EncodedBlock& block, const CallBlock& decoded,
           const SeriesTaker& take);
  void finish(const SeriesTaker& take);

 private:
  SeriesOptions options_;
  std::size_t bytes_ = 0;
  std::vector<std::unique_ptr<ThreadSeries>> threads_;  // by index
};

}  // namespace polytrace::store
