// SPDX-License-Identifier: Apache-2.0
// How several traces become one: what has to be known of each before, and where its times and ids
// go. Pure, apart from the survey.
#pragma once

#include <bitset>
#include <string>
#include <vector>

#include "event/pump.hpp"

namespace polytrace::transform {

// The upper 16 bits of an id.
inline constexpr unsigned kPrefixShift = 48;
using Prefixes = std::bitset<65536>;

// What a trace tells that matters to a merge.
struct TraceFacts {
  Prefixes prefixes{};                 // of its ids
  base::Time first = base::kNoTime;    // smallest time of an event, headings apart
  base::Time wall = base::kNoTime;     // nanoseconds since 1970 at clock time `wall_at`
  base::Time wall_at = base::kNoTime;  // of the first clock event with a wall time
};

class TraceSurvey final : public event::Consumer {
 public:
  void begin(unsigned workers) override { facts_.resize(workers); }
  void survey(const event::Batch& batch, unsigned worker) override;
  bool consume(const event::Batch& batch) override;
  // After the last batch.
  TraceFacts take();

 private:
  std::vector<TraceFacts> facts_;
  TraceFacts all_;
};

// Where a trace's events go.
struct Placement {
  bool is_reference = false;  // its clock is the merged trace's
  base::Duration shift = 0;   // what is added to its times
  base::Id tag = 0;           // what its ids are combined with (exclusive or)
};

// One for each trace, in order. The reference is the first that tells wall time, else the first.
// Others are shifted by the difference of wall times, or, where they tell none, so that they begin
// with the earliest event; all are shifted by their `offsets` on top. Ids of different traces are
// different from each other; those of the first stay.
std::vector<Placement> place(const std::vector<TraceFacts>& facts,
                             const std::vector<base::Duration>& offsets);

// time + shift, stopping at the ends of the clock.
base::Time shifted(base::Time time, base::Duration shift);

}  // namespace polytrace::transform
