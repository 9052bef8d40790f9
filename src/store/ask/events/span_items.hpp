// SPDX-License-Identifier: Apache-2.0
// What tracks beside those of calls show, one by one: the stretches in which threads waited,
// compilations, marks, pauses, collections (read/cell_layout.hpp, Family).
#pragma once

#include <functional>
#include <tuple>

#include "store/ask/events/row_scan.hpp"
#include "store/read/cells/cell_layout.hpp"

namespace polytrace::store {

struct SpanItem {
  base::Time start;
  base::Time end;  // never before start
  std::uint32_t row;
  std::uint32_t name;
  std::uint64_t number;  // of the row that begins it among those of its kind; of pauses ~0

  auto order() const { return std::tuple(row, start, name, number); }
  auto operator<=>(const SpanItem&) const = default;
};
// kNoIndex for what is everybody's.
using SpanTaker = std::function<void(std::uint32_t thread, const SpanItem&)>;

// Lock waits are blocked time; waits are waiting time where the thread was not blocked, so one may
// be several stretches; a wait that another one of its thread took the place of was none. A sample
// is the sampled thread's, and none if no time passed. Those that begin before the range's end and
// end in it or behind, in no order. REQUIRES: not of calls. Errors: as RowScan::next();
// limit_exceeded from kMostWaits waits on.
inline constexpr std::size_t kMostWaits = std::size_t{1} << 24;
base::result<void> collect_spans(const IndexFrames& frames, Family family, const Range& range,
                                 const SpanTaker& take);
// How many rows that reads at most.
std::uint64_t rows_behind(const IndexFrames& frames, Family family);

}  // namespace polytrace::store
