// SPDX-License-Identifier: Apache-2.0
// What two traces are compared by: figures of a report's sections. And the figures of one topic on
// both sides, by name.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include "analysis/diff/judge.hpp"
#include "analysis/diff/run.hpp"
#include "analysis/table/figures.hpp"
#include "analysis/table/names_alike.hpp"

namespace polytrace::analysis {

struct DiffTopic {
  std::string_view word;     // for --fail-on
  std::string_view key;      // of the new table
  std::string_view section;  // whose figures are compared
  std::string_view title;
  std::string_view in_all;           // its column in the table of totals
  std::uint64_t Amount::* compared;  // counts are shown beside weights
  NameKind kind;
  bool scales;  // with --per
  Chance chance;
  bool follows = false;  // what the runtime does about what the program does: named behind that

  bool has_counts() const { return compared == &Amount::weight; }
};

inline constexpr std::array kDiffTopics = {
    DiffTopic{"methods", "diff_methods", "calls", "Methods: time of their own", "Self time",
              &Amount::weight, NameKind::method, true, Chance::time},
    DiffTopic{"calls", "diff_calls", "calls", "Methods: calls", "Calls", &Amount::count,
              NameKind::method, true, Chance::none},
    DiffTopic{"allocations", "diff_allocations", "allocations", "Allocations by class", "Allocated",
              &Amount::weight, NameKind::type, true, Chance::samples},
    DiffTopic{"collections", "diff_collections", "collections", "Collections by generation",
              "Collecting", &Amount::weight, NameKind::plain, true, Chance::meetings, true},
    DiffTopic{"locks", "diff_locks", "monitors", "Waits for locks by class", "Lock waits",
              &Amount::weight, NameKind::type, true, Chance::meetings},
    DiffTopic{"exceptions", "diff_exceptions", "exceptions", "Exceptions by class", "Thrown",
              &Amount::count, NameKind::type, true, Chance::none},
    DiffTopic{"heap", "diff_heap", "heap", "Heap: the last snapshot, by class", "Heap",
              &Amount::weight, NameKind::type, false, Chance::none},
};

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

// Of what the topic compares; none where no trace has it.
Unit unit_of(const DiffSide& before, const DiffSide& after, const DiffTopic& topic);

}  // namespace polytrace::analysis
