// SPDX-License-Identifier: Apache-2.0
// What an index has of rows and their sums, as questions need it: who opened the index gives it.
// Any number of threads may ask at once.
#pragma once

#include <memory>

#include "store/file/sum_layout.hpp"
#include "store/read/row_view.hpp"

namespace polytrace::store {

class RowFrames {
 public:
  RowFrames() = default;
  RowFrames(const RowFrames&) = delete;
  RowFrames& operator=(const RowFrames&) = delete;
  virtual ~RowFrames() = default;

  // A frame of sums: of a segment (level 0), or of 16^level of them in a row.
  struct Sums {
    unsigned level;
    u64 first_row;
    base::Time least;
    base::Time greatest;
    u64 frame;  // how to get at it
  };

  // In order of the first row; of equal ones the higher level first. Each segment of the kind has
  // one of level 0.
  virtual std::span<const Sums> sums(SumKind kind) const = 0;
  // Lives as long as the index.
  virtual base::result<base::Bytes> payload(const Sums& sums) const = 0;
  // The segment of rows_of(kind) that begins with this row.
  virtual base::result<base::Bytes> segment(event::Kind kind, u64 first_row) const = 0;
};

}  // namespace polytrace::store
