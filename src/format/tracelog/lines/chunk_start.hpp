// SPDX-License-Identifier: Apache-2.0
// What is known where a chunk begins, and what was already seen of it. The memory of those that are
// not needed any more is used again.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "base/raw_array.hpp"
#include "event/tally.hpp"
#include "format/tracelog/lines/quick_lines.hpp"
#include "format/tracelog/lines/sample.hpp"

namespace polytrace::format::tracelog {

struct ChunkStart {
  struct Stack {
    base::Id thread;
    Frames frames;
  };
  // A quick line (quick_lines.hpp), as it was found sound. Its items are the next of `frames` or
  // `allocations`.
  struct Quick {
    std::uint64_t timestamp;
    std::uint32_t count;  // kAllocations for `sam mem`
    std::uint32_t stack;  // index in stacks
    std::uint32_t prefix;
    std::uint32_t items;
  };
  static constexpr std::uint32_t kAllocations = ~std::uint32_t{0};
  struct Other {
    std::size_t begin;  // in the chunk
    std::size_t bytes;
    std::size_t quick_lines;  // such lines before it in the chunk
    std::size_t lines;        // all lines before it
  };
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

  base::Time now = 0;                   // of the last record that had a timestamp
  std::vector<Stack> stacks;            // of the threads whose stacks the chunk uses
  std::vector<base::Id> threads;        // of lines that do not name theirs plainly, in order
  std::vector<std::uint64_t> refused;   // lines beyond a limit, in order
  std::uint64_t process_at = kNowhere;  // the line that tells the size of pointers
  base::Id pid = base::kNoId;
  base::RawArray<Quick> quick_lines;  // the chunk's quick lines
  base::RawArray<base::Id> frames;
  base::RawArray<QuickAllocation> allocations;
  event::Tally::Records samples;    // of the quick lines
  event::Tally::Records summaries;  // the same, `sam mem`
  base::RawArray<Other> others;     // the chunk's other lines

  // As new, but for its memory.
  void clear() {
    now = 0;
    stacks.clear();
    threads.clear();
    refused.clear();
    process_at = kNowhere;
    pid = base::kNoId;
    quick_lines.clear();
    frames.clear();
    allocations.clear();
    samples = {};
    summaries = {};
    others.clear();
  }
};

// Thread-safe.
class ChunkStartPool {
 public:
  std::unique_ptr<ChunkStart> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<ChunkStart>();
    auto taken = std::move(free_.back());
    free_.pop_back();
    return taken;
  }
  void give(std::unique_ptr<ChunkStart> start) {
    start->clear();
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(start));
  }
  // Comes back into `pool` when its last user has gone.
  static std::shared_ptr<const ChunkStart> share(std::shared_ptr<ChunkStartPool> pool,
                                                 std::unique_ptr<ChunkStart> start) {
    return {start.release(), [pool = std::move(pool)](ChunkStart* used) {
              pool->give(std::unique_ptr<ChunkStart>(used));
            }};
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<ChunkStart>> free_;
};

}  // namespace polytrace::format::tracelog
