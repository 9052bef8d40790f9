// SPDX-License-Identifier: Apache-2.0
// What `heap` is asked: what fills the heap at a snapshot, what keeps it alive, what became more.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/heap/study.hpp"
#include "service/ask/report.hpp"

namespace polytrace::service {

using WantedSnapshot = std::optional<std::uint64_t>;  // from 0; absent: the last complete one

struct HeapQuestion {
  enum class What : std::uint8_t {
    summary,      // what may leak and why, the classes, the snapshots
    classes,      // by what their objects retain
    dominators,   // the objects that retain most
    suspects,     // what may leak, and why
    unreachable,  // what no root reaches, by class
    referrers,    // who refers to `subject`
    path,         // how a root reaches it
  };
  What what = What::summary;
  std::string subject{};  // a class or a part of its name, or an object by its id
  WantedSnapshot snapshot{};
  bool soft_is_weak = false;  // soft references keep nothing alive either
  analysis::TableOptions table{};
  bool rows_later = false;  // of dominators, all in their own order: see analysis::Table::later
  // Where a part of a name was taken for one class of several: how to ask about another, in the
  // words of the front end; null: not told.
  std::function<std::string(const std::string& other)> ask_other{};
};
Asked<TableAnswer> ask_heap(const Input& input, const HeapQuestion& question);

// What became more from one snapshot to another: of one file by class and by the place that made
// it, from one file to another by class.
struct GrowthQuestion {
  std::optional<std::string> before{};  // the file of the first snapshot; absent: that of the other
  std::string after{};                  // the file of the other
  InputOptions reading{};               // what holds for both
  WantedSnapshot from{};                // of one file both are told
  WantedSnapshot to{};
  analysis::TableOptions table{};
};
Asked<TableAnswer> ask_growth(const GrowthQuestion& question, const Asking& asking);

// Writes a snapshot as a heap dump, with all references.
struct DumpTarget {
  std::string file;
  bool force = false;  // replace that file if it exists
};
struct Dumped {
  Reading reading;
  bool written = false;  // not, where a part would take the place of a whole file
};
Asked<Dumped> dump_heap(const Input& input, WantedSnapshot snapshot, const DumpTarget& target);

}  // namespace polytrace::service
