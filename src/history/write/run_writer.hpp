// SPDX-License-Identifier: Apache-2.0
// One timeline's changes within a segment as bytes: a run of blocks
// (docs/formats/state-history.md, "SEGM").
#pragma once

#include <span>

#include "base/io/appender.hpp"
#include "history/layout/segment_layout.hpp"
#include "history/layout/value_column.hpp"

namespace polytrace::history {

// How ascending distances are cut into low and high bits.
struct TimeShape {
  unsigned low_bits = 0;
  unsigned high_bytes = 0;

  // The smaller of the two that may be the best for `count` distances up to `last`.
  static TimeShape of(std::uint64_t last, std::size_t count);
};

void put_times(base::Appender& to, std::span<const std::uint64_t> distances, TimeShape shape);

// Appends the run. REQUIRES: at least one change, times ascending from `first` on.
void put_run(base::Appender& to, std::span<const Change> changes, Tick first, TypeCode code);

}  // namespace polytrace::history
