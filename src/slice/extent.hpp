// SPDX-License-Identifier: Apache-2.0
// From when to when a trace has events.
#pragma once

#include "base/types.hpp"
#include "slice/names.hpp"

namespace polytrace::slice {

// Of all threads, and of no thread: what `polytrace info` counts.
struct Extent {
  base::Time first = base::kNoTime;  // kNoTime: no event has a time
  base::Time last = base::kNoTime;
  std::uint64_t events = 0;

  std::uint64_t span() const { return base::elapsed(first, last); }  // nanoseconds
};
Extent extent_of(const Names& names);

}  // namespace polytrace::slice
