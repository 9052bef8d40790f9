// SPDX-License-Identifier: Apache-2.0
// What two traces are compared by: figures of a report's sections. And the figures of one topic on
// both sides, by name.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
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
  std::string_view noun;             // of an amount: "3.10 KiB allocated"
  std::uint64_t Amount::* compared;  // counts are shown beside weights
  NameKind kind;
  bool scales;  // with --per
  Chance chance;
  bool follows = false;  // what the runtime does about what the program does: named last
  std::string_view noun_of_one = {};  // where it is another
  std::string_view prefix = {};       // of the name of a thing that is a number
  // Of times of methods: as CPU time, if all runs know that; and whether that is needed.
  std::string_view cpu_title = {};
  bool is_waiting = false;

  bool has_counts() const { return compared == &Amount::weight; }
};

inline constexpr std::array kDiffTopics = {
    DiffTopic{.word = "methods",
              .key = "diff_methods",
              .section = "calls",
              .title = "Methods: time of their own",
              .in_all = "Self time",
              .noun = "of its own",
              .compared = &Amount::weight,
              .kind = NameKind::method,
              .scales = true,
              .chance = Chance::time,
              .cpu_title = "Methods: CPU time"},
    DiffTopic{.word = "waiting",
              .key = "diff_waiting",
              .section = "calls",
              .title = "Methods: waiting",
              .in_all = "Waiting",
              .noun = "of waiting",
              .compared = &Amount::weight,
              .kind = NameKind::method,
              .scales = true,
              .chance = Chance::time,
              .is_waiting = true},
    DiffTopic{.word = "calls",
              .key = "diff_calls",
              .section = "calls",
              .title = "Methods: calls",
              .in_all = "Calls",
              .noun = "calls",
              .compared = &Amount::count,
              .kind = NameKind::method,
              .scales = true,
              .chance = Chance::none,
              .noun_of_one = "call"},
    DiffTopic{.word = "allocations",
              .key = "diff_allocations",
              .section = "allocations",
              .title = "Allocations by class",
              .in_all = "Allocated",
              .noun = "allocated",
              .compared = &Amount::weight,
              .kind = NameKind::type,
              .scales = true,
              .chance = Chance::samples},
    DiffTopic{.word = "collections",
              .key = "diff_collections",
              .section = "collections",
              .title = "Collections by generation",
              .in_all = "Collecting",
              .noun = "of collecting",
              .compared = &Amount::weight,
              .kind = NameKind::plain,
              .scales = true,
              .chance = Chance::meetings,
              .follows = true,
              .prefix = "generation "},
    DiffTopic{.word = "locks",
              .key = "diff_locks",
              .section = "monitors",
              .title = "Waits for locks by class",
              .in_all = "Lock waits",
              .noun = "of waits for its lock",
              .compared = &Amount::weight,
              .kind = NameKind::type,
              .scales = true,
              .chance = Chance::meetings},
    DiffTopic{.word = "exceptions",
              .key = "diff_exceptions",
              .section = "exceptions",
              .title = "Exceptions by class",
              .in_all = "Thrown",
              .noun = "thrown",
              .compared = &Amount::count,
              .kind = NameKind::type,
              .scales = true,
              .chance = Chance::none},
    DiffTopic{.word = "heap",
              .key = "diff_heap",
              .section = "heap",
              .title = "Heap: the last snapshot, by class",
              .in_all = "Heap",
              .noun = "in the heap",
              .compared = &Amount::weight,
              .kind = NameKind::type,
              .scales = false,
              .chance = Chance::none},
};

struct DiffPair {
  std::string name;  // as the first trace that has it spells it
  Evidence before;
  Evidence after;
  double count_before = 0;
  double count_after = 0;
  std::optional<double> noise{};  // nothing where runs are too few to judge by

  double was() const { return mean(before.figures); }
  double is() const { return mean(after.figures); }
  double change() const { return is() - was(); }
  // Of what is judged by.
  double steady_change() const { return mean(after.judged()) - mean(before.judged()); }
  bool is_noise() const { return noise && (change() == 0 || std::abs(steady_change()) < *noise); }
  // Whether it is certain that the figure is another.
  bool is_change() const { return noise && !is_noise(); }
  std::string_view verdict() const;
};

struct DiffPairs {
  std::map<std::string, DiffPair> all;
  bool is_judged = true;
  bool knows_cpu = false;  // of methods, in all runs
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
