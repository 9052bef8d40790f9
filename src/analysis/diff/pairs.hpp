// SPDX-License-Identifier: Apache-2.0
// The rows of one topic on both sides, by name.
#pragma once

#include <map>

#include "analysis/diff/comparison.hpp"
#include "analysis/diff/judge.hpp"
#include "analysis/diff/topics.hpp"

namespace polytrace::analysis {

struct DiffPair {
  std::string name;  // as the first trace that has it spells it
  Evidence before;
  Evidence after;
  double count_before = 0;
  double count_after = 0;
  double noise = 0;

  double was() const { return before.mean(); }
  double is() const { return after.mean(); }
  double change() const { return is() - was(); }
  bool is_noise() const { return change() == 0 || std::abs(change()) < noise; }
  std::string_view verdict() const;
};

struct DiffPairs {
  std::map<std::string, DiffPair> all;
  double whole_before = 0;
  double whole_after = 0;
  double whole() const { return std::max(whole_before, whole_after); }
};

// Figures of `after` are multiplied by `scale`.
DiffPairs pair_up(const DiffSide& before, const DiffSide& after, const DiffTopic& topic,
                  bool exact_names, double scale);

// The unit of the topic's column; none where no trace has it.
Unit unit_of(const DiffSide& before, const DiffSide& after, const DiffTopic& topic,
             std::string_view column);

}  // namespace polytrace::analysis
