// SPDX-License-Identifier: Apache-2.0
// What is different between two programs, topic by topic (topics.hpp), by one recorded run of each
// or several: what the sections of their reports say of things is compared by name, so no event is
// known here.
#pragma once

#include <optional>

#include "analysis/diff/run.hpp"
#include "analysis/profile/profile.hpp"

namespace polytrace::analysis {

enum class PerWhat : std::uint8_t { nothing, time, calls };

struct DiffOptions {
  PerWhat per = PerWhat::nothing;  // the second side's figures are scaled to the first one's
  bool exact_names = false;
  double threshold = 0.01;  // of the whole: smaller changes are left out, and counted
  TableOptions table;
};

// A figure that is another, not by chance.
struct Change {
  std::string_view topic;  // DiffTopic::word
  std::string where;       // "Shop.main (Methods: calls)"
  std::string text;        // "Shop.main: 36,000 calls, now 432,000: 12 times"
  double share;            // of its topic's whole before; less than 0 where it became less
  bool follows;            // DiffTopic::follows
};

struct Difference {
  std::vector<Table> tables;
  std::vector<Change> changes;   // the largest first, those that follow last
  bool times_are_judged = true;  // else, which takes kRunsForTimes of each side, none is a change
  double scale = 1;              // of the second side's figures
};

Difference compare(const DiffSide& before, const DiffSide& after, const DiffOptions& options);

}  // namespace polytrace::analysis
