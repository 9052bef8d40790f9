// SPDX-License-Identifier: Apache-2.0
// What `heap` is asked: what fills the heap at a snapshot, what keeps it alive, what became more.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/heap/study.hpp"
#include "format/format.hpp"
#include "service/ask/report.hpp"

namespace polytrace::service {

using WantedSnapshot = std::optional<std::uint64_t>;  // from 0; absent: the last complete one

// Whether allocations are needed to know what the objects of snapshots are.
inline analysis::HeapObjects objects_of(const format::Opened& opened) {
  return opened.format->whole_objects ? analysis::HeapObjects::are_whole
                                      : analysis::HeapObjects::may_be_bare;
}

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
  // Where a part of a name was taken for one class of several: how to ask about another, in the
  // words of the front end; null: not told.
  std::function<std::string(const std::string& other)> ask_other{};
};
Asked<TableAnswer> ask_heap(const Input& input, const HeapQuestion& question);

// What became more from one snapshot to another of one file, by class and by the place that made
// it.
Asked<TableAnswer> ask_growth(const Input& input, WantedSnapshot from, WantedSnapshot to,
                              const analysis::TableOptions& table);
// The same by class from a snapshot of one file to one of another.
Asked<TableAnswer> ask_growth_between(const Input& before, WantedSnapshot from, const Input& after,
                                      WantedSnapshot to, const analysis::TableOptions& table);

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
