// SPDX-License-Identifier: Apache-2.0
// How happenings are put in order of time, and how they lie in a file meanwhile: what changes
// little from one to the next is told as a difference.
#pragma once

#include "analysis/states/gather/happening.hpp"
#include "base/io/spill_sorter.hpp"

namespace polytrace::analysis {

struct HappeningPacking {
  using Item = Happening;
  static void pack(base::Appender& out, const Happening& h, const Happening& before);
  static void unpack(base::SpilledRun& in, Happening& h);
};

struct HappeningOrder {
  base::Time operator()(const Happening& h) const { return h.time; }
};

using HappeningSorter = base::SpillSorter<HappeningPacking, HappeningOrder>;

}  // namespace polytrace::analysis
