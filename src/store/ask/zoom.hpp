// SPDX-License-Identifier: Apache-2.0
// The calls of a thread as a picture of a given width needs them: at level L, in buckets of 2^L ns,
// calls of at least that long one by one and shorter ones together, row by row. A pure function of
// the trace: which cells are stored changes how long it takes, never what it says.
#pragma once

#include <atomic>
#include <functional>
#include <limits>

#include "store/read/call_frames.hpp"
#include "store/read/cells/cell_layout.hpp"

namespace polytrace::store {

struct Zoom {
  std::uint32_t thread = 0;  // index; of pauses and collections any
  unsigned level = 0;        // at most kMostLevel
  std::int64_t first_bucket = 0;
  std::int64_t end_bucket = 0;  // not included
  std::uint32_t first_row = 0;
  std::uint32_t end_row = kMostDepth;
  const std::atomic<bool>* stop = nullptr;  // asked once a block; null: never stops
  Family family = Family::calls;
};

// A wide call that overlaps the range, cut to it; or all narrow calls of a row that begin in one of
// its buckets, which may end up to a bucket behind the range.
struct ZoomItem {
  std::uint32_t row;
  std::uint32_t path;  // of the longest; of what is no call its name (Family)
  base::Time start;
  base::Time end;
  std::uint64_t count;    // calls that begin in the range: of a wide call that began before, none
  std::uint64_t busy;     // ns in calls; of a wide call what lies in the range
  std::uint64_t longest;  // whole duration; a call that never ends lasts to its thread's last event
  // The longest: of several that are as long the first. Of what is no call the number of its row,
  // of pauses ~0.
  SliceId call;
  bool is_wide;
  bool begins_before;  // what lies before the range is cut off; so is what lies behind:
  bool ends_behind;
};
using ZoomVisitor = std::function<void(const ZoomItem&)>;

// Which cells tell something of a stretch of buckets, and what.
class Stretch {
 public:
  Stretch(base::Time origin, const Zoom& asked);

  base::Time from() const { return from_; }
  base::Time to() const { return to_; }
  base::Time origin() const { return origin_; }
  const Zoom& asked() const { return asked_; }
  bool has_row(std::uint32_t row) const {
    return row >= asked_.first_row && row < asked_.end_row && row < kMostDepth;
  }
  bool has_bucket_of(base::Time start) const {
    const std::int64_t bucket = bucket_of(start, origin_, asked_.level);
    return bucket >= asked_.first_bucket && bucket < asked_.end_bucket;
  }
  // Wide ones that overlap it, narrow ones that begin in it.
  bool has(const Cell& cell) const {
    if (!cell.is_wide(asked_.level)) return has_bucket_of(cell.start);
    return cell.start < to_ && cell.end > from_;
  }
  // REQUIRES: has(cell), cells of its level.
  ZoomItem item(const Cell& cell) const;

 private:
  const Zoom& asked_;
  base::Time origin_;
  base::Time from_, to_;
};

// Of calls. By row, then start. `origin`: what buckets are counted from. Nothing of a thread that
// there is not. Errors: those of frames; value_unexpected of a level that there is not, or where
// frames do not fit together; limit_exceeded when asked to stop.
base::result<void> zoom(const CallFrames& frames, base::Time origin, const Zoom& asked,
                        const ZoomVisitor& visit);

}  // namespace polytrace::store
