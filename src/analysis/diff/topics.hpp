// SPDX-License-Identifier: Apache-2.0
// What two traces are compared by: columns of a report's tables.
#pragma once

#include <array>
#include <string_view>

#include "analysis/diff/judge.hpp"
#include "analysis/table/names_alike.hpp"

namespace polytrace::analysis {

struct DiffTopic {
  std::string_view word;  // for --fail-on
  std::string_view key;   // of the new table
  std::string_view section;
  std::string_view title;
  std::string_view in_all;  // its column in the table of totals
  std::string_view source;  // the report's table
  std::string_view name;    // its columns: what rows go by,
  std::string_view figure;  // what is compared,
  std::string_view count;   // and what is shown beside it; empty: nothing
  NameKind kind;
  bool scales;  // with --per
  Chance chance;
  bool follows = false;  // what the runtime does about what the program does: named behind that
};

inline constexpr std::array kDiffTopics = {
    DiffTopic{"methods", "diff_methods", "calls", "Methods: time of their own", "Self time",
              "methods", "method", "self", "calls", NameKind::method, true, Chance::time},
    DiffTopic{"calls", "diff_calls", "calls", "Methods: calls", "Calls", "methods", "method",
              "calls", "", NameKind::method, true, Chance::none},
    DiffTopic{"allocations", "diff_allocations", "allocations", "Allocations by class", "Allocated",
              "allocations", "class", "bytes", "count", NameKind::type, true, Chance::samples},
    DiffTopic{"collections", "diff_collections", "collections", "Collections by generation",
              "Collecting", "collection_generations", "generation", "total", "count",
              NameKind::plain, true, Chance::meetings, true},
    DiffTopic{"locks", "diff_locks", "monitors", "Waits for locks by class", "Lock waits",
              "monitor_classes", "class", "wait", "contentions", NameKind::type, true,
              Chance::meetings},
    DiffTopic{"exceptions", "diff_exceptions", "exceptions", "Exceptions by class", "Thrown",
              "thrown_classes", "class", "thrown", "", NameKind::type, true, Chance::none},
    DiffTopic{"heap", "diff_heap", "heap", "Heap: the last snapshot, by class", "Heap",
              "heap_classes", "class", "bytes", "objects", NameKind::type, false, Chance::none},
};

}  // namespace polytrace::analysis
