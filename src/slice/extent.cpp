// SPDX-License-Identifier: Apache-2.0
#include "slice/extent.hpp"

#include <algorithm>

namespace polytrace::slice {

Extent extent_of(const Names& names) {
  Extent extent;
  for (const ThreadInfo& thread : names.threads()) {
    if (thread.events == 0) continue;
    extent.first =
        extent.first == base::kNoTime ? thread.first : std::min(extent.first, thread.first);
    extent.last = std::max(extent.last, thread.last);
    extent.events += thread.events;
  }
  return extent;
}

}  // namespace polytrace::slice
