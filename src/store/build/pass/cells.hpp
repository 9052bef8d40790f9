// SPDX-License-Identifier: Apache-2.0
// Makes the cells of calls (LODC) from blocks as they become finished: at a level that suits how
// dense a thread's calls are, then level by level from the finer one. A frame is written only where
// that pays, and nothing has to be: what is missing is made of blocks when it is asked for. So
// memory is bounded by giving up what would exceed it. One thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "store/build/block_encoder.hpp"
#include "store/build/whole_log.hpp"
#include "store/read/block_events.hpp"
#include "store/read/cells/cell_layout.hpp"

namespace polytrace::store {

struct CellOptions {
  std::uint32_t frame_cells = 8192;     // that a frame aims at, at most 16,384
  std::uint64_t least_calls = 1024;     // of a frame
  std::size_t most_bytes = 32U << 20U;  // of cells that wait for their frame
};

// Blocks of a thread in a row, and the cells of all calls that end in them.
struct CellFrame {
  std::uint32_t thread;
  unsigned level;
  std::uint64_t first_block;  // number
  std::uint32_t blocks;
  base::Time before;  // of its first block
  base::Time last;    // of its last block
  std::string payload;
};
using CellTaker = std::function<void(CellFrame)>;

// What the threads of a pass share.
struct CellShared {
  CellOptions options;
  WholeLog* whole;  // gets each call that ends
  std::vector<Cell> joined{};
  CellJoiner joiner{};
  CallBlock block{};
};

// One thread's.
class ThreadCells {
 public:
  // Its next block, which `shared` has decoded. `origin`: the same for all.
  void add(CellShared& shared, base::Time origin, const EncodedBlock& block, const CellTaker& take);
  // Writes what can be written, and begins anew behind it.
  void finish(CellShared& shared, const CellTaker& take);
  // What comes next has no calls in common with what was.
  void forget();
  std::size_t bytes() const;

 private:
  // The next frame of a level, so far.
  struct Level {
    std::uint64_t first_block = 0;
    std::uint32_t blocks = 0;
    base::Time before = 0;
    base::Time last = 0;
    std::uint64_t calls = 0;
    std::uint64_t cost = 0;  // what is read instead of the frame, as as many calls of blocks
    std::vector<Cell> cells;
  };
  enum class More : std::uint8_t { follow, are_none };

  Level& level(unsigned number);
  static void extend(Level& level, const Level& by);
  void close(CellShared& shared, unsigned number, More more, const CellTaker& take);
  void choose_level(CellShared& shared, const CellTaker& take);

  std::uint32_t thread_ = 0;
  base::Time origin_ = 0;
  unsigned lowest_ = 9;        // level that blocks become cells of
  bool was_too_fine_ = false;  // a finer one
  std::uint64_t calls_ = 0;    // since the lowest level was chosen
  std::uint64_t cells_ = 0;    // that they became
  std::vector<Level> levels_;  // by level / kCellStep
  std::vector<StackedCall> stack_;
};

// Those of all threads.
class CellMaker {
 public:
  // `whole` must outlive it.
  CellMaker(const CellOptions& options, WholeLog& whole) : shared_{options, &whole} {}

  // What the block is decoded, until the next one; null: it cannot be read.
  const CallBlock* add(base::Time origin, const EncodedBlock& block, base::Bytes payload,
                       const CellTaker& take);
  void finish(const CellTaker& take);
  std::size_t bytes() const { return bytes_; }

 private:
  void make_room(const CellTaker& take);

  CellShared shared_;
  std::size_t bytes_ = 0;
  std::vector<std::unique_ptr<ThreadCells>> threads_;  // by index
};

}  // namespace polytrace::store
