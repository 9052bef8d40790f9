// SPDX-License-Identifier: Apache-2.0
// From when to when a trace has events.
#pragma once

#include "analysis/names.hpp"
#include "analysis/text.hpp"

namespace polytrace::analysis {

// Of all threads, and of no thread: what `polytrace info` counts.
struct Extent {
  base::Time first = base::kNoTime;  // kNoTime: no event has a time
  base::Time last = base::kNoTime;
  std::uint64_t events = 0;

  std::uint64_t span() const { return elapsed(first, last); }  // nanoseconds
};
Extent extent_of(const Names& names);

}  // namespace polytrace::analysis
