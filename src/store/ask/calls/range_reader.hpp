// SPDX-License-Identifier: Apache-2.0
// The figures by path of a stretch of time, read from an index: of each block at its edges a part,
// of those between what cover() chooses. Any number of threads may ask at once.
#pragma once

#include "store/ask/calls/range.hpp"

namespace polytrace::store {

// By path; none of which all is 0. `pauses`: null where they are not known. Errors: those of
// frames; stopped when asked to.
base::result<std::vector<PathFigures>> read_range(const CallFrames& frames, const Range& range,
                                                  const slice::Pauses* pauses);

}  // namespace polytrace::store
