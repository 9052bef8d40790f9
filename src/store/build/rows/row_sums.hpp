// SPDX-License-Identifier: Apache-2.0
// Makes the sums of row segments and of more and more of them: level 0 is one segment, each level
// adds up 16 of the one below. A frame is written only if it has at most three quarters of the
// entries below it; else the level above takes those. One thread at a time.
#pragma once

#include <functional>
#include <string>

#include "store/build/rows/row_columns.hpp"
#include "store/file/sum_layout.hpp"

namespace polytrace::store {

// Of one segment. REQUIRES: rows of rows_of(kind).
RowSums sum_segment(SumKind kind, const RowColumns& columns);

// Of all segments of a kind.
class RowSumLevels {
 public:
  struct Frame {
    unsigned level = 0;
    u64 first_row = 0;  // number
    u32 entries = 0;
    base::Time least = 0;
    base::Time greatest = 0;
    std::string payload{};
  };
  using Taker = std::function<void(Frame)>;
  static constexpr u32 kFan = 16;

  explicit RowSumLevels(SumKind kind) : kind_(kind) {}

  // A segment's, in order; its frame and those that become whole with it go to `take`.
  void add(const RowColumns& columns, u64 first_row, const Taker& take);
  std::size_t bytes() const;  // of memory

 private:
  // What is added up, and what is read instead while it is not written.
  struct Part {
    u64 first_row = 0;
    base::Time least = 0;
    base::Time greatest = 0;
    RowSums sums{};
    u64 below = 0;          // entries
    bool hopeless = false;  // too many entries to keep: none of the levels above is written
  };
  struct Level {
    u32 parts = 0;
    Part all{};                       // sums one after the other
    std::vector<std::size_t> ends{};  // of each part's entries
  };

  Frame frame_of(const Part& part, unsigned level) const;
  void add(Part part, std::size_t level, const Taker& take);
  static void append(Level& level, const Part& part);
  static void combine(Level& level);

  SumKind kind_;
  std::vector<Level> levels_;  // what level n + 1 is made of so far
};

}  // namespace polytrace::store
