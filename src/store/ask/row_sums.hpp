// SPDX-License-Identifier: Apache-2.0
// What was allocated, sampled or thrown in a stretch of time, by thread, class and path. Segments
// are taken or left thread by thread; those that a thread's stretch begins or ends in are decoded:
// at most two for each thread whose times do not go back.
#pragma once

#include "store/ask/calls/range.hpp"
#include "store/read/row_frames.hpp"

namespace polytrace::store {

// In order of keys. Errors: those of frames; limit_exceeded when asked to stop.
base::result<std::vector<SumEntry>> row_sums(const RowFrames& frames, SumKind kind,
                                             const Range& range);

}  // namespace polytrace::store
