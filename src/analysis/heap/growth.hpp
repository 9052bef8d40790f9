// SPDX-License-Identifier: Apache-2.0
// What became more from one heap to another, by class: of one trace or of two. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.hpp"
#include "analysis/heap/graph/snapshot.hpp"
#include "analysis/heap/questions.hpp"

namespace polytrace::analysis {

// A class by its name, which is all that two traces have in common.
struct NamedFigures {
  std::string name;
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
  std::uint64_t retained = 0;  // by its objects together, none counted twice
};

struct ClassGrowth {
  std::string name;
  NamedFigures before;
  NamedFigures after;
  std::int64_t objects() const { return static_cast<std::int64_t>(after.objects - before.objects); }
  std::int64_t bytes() const { return static_cast<std::int64_t>(after.bytes - before.bytes); }
  std::int64_t retained() const {
    return static_cast<std::int64_t>(after.retained - before.retained);
  }
};

// Sorted by name; classes of one name are one. REQUIRES: a resolved snapshot, the view's.
std::vector<NamedFigures> named_figures(const HeapSnapshot& snapshot, const HeapView& view);

// Every class that either has; what grew most in bytes first, then by name. Both sorted by name.
std::vector<ClassGrowth> growth_between(std::span<const NamedFigures> before,
                                        std::span<const NamedFigures> after);

// The same as a table: class, objects_growth, bytes_growth, retained_growth, before_objects ...
Table growth_table(std::span<const ClassGrowth> growth, const TableOptions& options);

}  // namespace polytrace::analysis
