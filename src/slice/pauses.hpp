// SPDX-License-Identifier: Apache-2.0
// When the world stood still: from the events of collections, and what that leaves to the program.
#pragma once

#include <optional>
#include <vector>

#include "base/seeded_hash.hpp"
#include "slice/selection.hpp"
#include "slice/slice.hpp"
#include "slice/spans.hpp"

namespace polytrace::slice {

// Gathers pauses from the events of collections, in any order of threads. Where a trace tells when
// the world stopped, those times count, else the collections themselves. One thread at a time.
class PauseFinder {
 public:
  // Of kind Gc. `thread` tells streams apart, in any numbering.
  void add(std::uint64_t thread, base::Time time, event::GcPhase phase);
  // Once, after the last: in order, overlapping ones as one.
  Pauses take();

 private:
  struct Open {
    LoneSpan stop;
    base::Time started = base::kNoTime;  // of the outermost collection
    std::uint32_t depth = 0;
  };
  base::IdMap<Open> open_;
  std::vector<Pauses::Pause> stops_;
  std::vector<Pauses::Pause> collections_;
};

// The smallest part of any window of that length, inside [first, last], that was not paused: 0
// to 1. Nothing when no such window fits.
std::optional<double> least_utilisation(const Pauses& pauses, std::uint64_t window,
                                        base::Time first, base::Time last);

}  // namespace polytrace::slice
