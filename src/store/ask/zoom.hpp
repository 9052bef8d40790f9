// SPDX-License-Identifier: Apache-2.0
// The calls of a thread as a picture of a given width needs them: at level L, in buckets of 2^L ns,
// calls of at least that long one by one and shorter ones together, row by row. A pure function of
// the trace: which cells are stored changes how long it takes, never what it says.
#pragma once

#include <atomic>
#include <functional>
#include <limits>

#include "store/read/call_frames.hpp"
#include "store/read/cell_layout.hpp"

namespace polytrace::store {

struct Zoom {
  std::uint32_t thread = 0;  // index
  unsigned level = 0;        // at most kMostLevel
  std::int64_t first_bucket = 0;
  std::int64_t end_bucket = 0;  // not included
  std::uint32_t first_row = 0;
  std::uint32_t end_row = kMostDepth;
  const std::atomic<bool>* stop = nullptr;  // asked once a block; null: never stops
};

// A wide call that overlaps the range, cut to it; or all narrow calls of a row that begin in one of
// its buckets, which may end up to a bucket behind the range.
struct ZoomItem {
  std::uint32_t row;
  std::uint32_t path;  // of the longest
  base::Time start;
  base::Time end;
  std::uint64_t count;    // calls that begin in the range: of a wide call that began before, none
  std::uint64_t busy;     // ns in calls; of a wide call what lies in the range
  std::uint64_t longest;  // whole duration; a call that never ends lasts to its thread's last event
  SliceId call;           // the longest: of several that are as long the first
  bool is_wide;
  bool begins_before;  // what lies before the range is cut off; so is what lies behind:
  bool ends_behind;
};
using ZoomVisitor = std::function<void(const ZoomItem&)>;

// By row, then start. `origin`: what buckets are counted from. Nothing of a thread that there is
// not. Errors: those of frames; value_unexpected of a level that there is not, or where frames do
// not fit together; limit_exceeded when asked to stop.
base::result<void> zoom(const CallFrames& frames, base::Time origin, const Zoom& asked,
                        const ZoomVisitor& visit);

}  // namespace polytrace::store
