// SPDX-License-Identifier: Apache-2.0
// Figures by path over more and more blocks of one thread: level 1 adds up 16 blocks, each level 16
// of the one below. A frame is written only if it has at most three quarters of the entries below
// it; else the level above takes those. One thread at a time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "store/build/block_encoder.hpp"

namespace polytrace::store {

inline constexpr std::uint32_t kSumsFan = 16;

// What a SUMC frame holds of calls, sorted by path.
void append_sums(std::span<const PathSum> sums, std::string& payload);

// One thread's.
class CallSums {
 public:
  struct Frame {
    unsigned level;
    std::uint64_t first_block;  // number
    std::uint32_t blocks;
    std::uint32_t entries;
    base::Time before;  // of its first block
    base::Time last;    // of its last block
    std::string payload;
  };
  using Taker = std::function<void(Frame)>;

  // The thread's blocks in order; frames that become whole go to `take`.
  void add(const EncodedBlock& block, const Taker& take);
  // Frames of what is added up so far, which have fewer parts, then begins anew.
  void cut(const Taker& take);
  std::size_t bytes() const;  // of memory

 private:
  // What the next frame of a level is made of so far.
  struct Level {
    std::uint32_t parts = 0;
    std::uint32_t blocks = 0;
    std::uint64_t first_block = 0;
    base::Time before = 0;
    base::Time last = 0;
    std::uint64_t below = 0;    // entries of frames, or blocks, that it is read instead of
    std::vector<PathSum> sums;  // of each part, one after the other
  };
  void close(std::size_t level, const Taker& take);
  // False: it has too many entries to be worth a frame.
  static bool write(Level& whole, std::size_t level, const Taker& take);

  std::vector<Level> levels_;
};

// Those of all threads, in bounded memory: who takes most is cut. One thread at a time.
class CallSumLogs {
 public:
  using Taker = std::function<void(std::uint32_t thread, CallSums::Frame)>;

  explicit CallSumLogs(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // Blocks of a thread in order.
  void add(const EncodedBlock& block, const Taker& take);
  std::size_t bytes() const { return bytes_; }

 private:
  void cut_largest(const Taker& take);

  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::vector<CallSums> threads_;  // by index
};

// Adds entries of equal path; sorted by path.
void combine(std::vector<PathSum>& sums);

}  // namespace polytrace::store
