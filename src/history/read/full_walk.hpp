// SPDX-License-Identifier: Apache-2.0
// What all timelines hold at one tick, in order of keys, a batch at a time. Each step is done for
// the whole batch before the next one begins, so that the processor meets the same work many times
// in a row: where the runs are, the runs, the entry table, the exit table. One thread at a time.
#pragma once

#include <array>

#include "history/read/segments.hpp"

namespace polytrace::history {

// One timeline's state.
struct Cell {
  State state{};
  Tick end = 0;
  Key key = kNoKey;
};

class FullWalk {
 public:
  // REQUIRES: a tick of the history. `segments` must outlive this.
  FullWalk(const Segments& segments, Tick t) : segments_(segments), t_(t) {}
  // The next ones, until the next call; none behind the last. Errors: those of the segment.
  base::result<std::span<const Cell>> next();

 private:
  static constexpr std::size_t kBatch = 128;
  using Lines = std::span<const Line>;
  // Numbers of cells with one step in common.
  struct List {
    std::array<std::uint32_t, kBatch> cells;
    std::size_t count = 0;

    void add(std::size_t cell, bool really) {
      cells[count] = static_cast<std::uint32_t>(cell);
      count += static_cast<std::size_t>(really);
    }
  };

  // Without exit tables every timeline is looked up by itself.
  base::result<void> fill_slowly(Lines lines);
  void find_runs(Lines lines);
  bool take_runs(Lines lines);
  bool take_run(const Line& line, std::uint32_t offset, std::size_t number);
  void take_entries(Lines lines);
  bool take_ends(Lines lines);

  const Segments& segments_;
  const Tick t_;
  const Segments::Checked* checked_ = nullptr;
  std::size_t number_ = 0;  // of the segment
  std::size_t done_ = 0;    // timelines
  std::size_t hint_ = 0;
  std::array<Cell, kBatch> cells_;
  std::array<std::uint32_t, kBatch> offsets_;
  List active_;  // those that change in the segment
  List entry_;   // those that have not changed yet at t_
  List exit_;    // those that do not change any more behind t_
};

}  // namespace polytrace::history
