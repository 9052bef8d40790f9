// SPDX-License-Identifier: Apache-2.0
// What became more from one heap snapshot to another, of one file or of two.
#pragma once

#include <string>
#include <vector>

#include "analysis/heap/study.hpp"
#include "cli/explain/report_view.hpp"
#include "format/format.hpp"

namespace polytrace::cli {

// Whether allocations are needed to know what the objects of snapshots are.
inline analysis::HeapObjects objects_of(const format::Opened& opened) {
  return opened.format->whole_objects ? analysis::HeapObjects::are_whole
                                      : analysis::HeapObjects::may_be_bare;
}

struct GrowthQuestion {
  std::vector<std::string> files;  // one or two
  // "FROM,TO", snapshots counted from 0; empty: the last complete one of each of two files.
  std::string ends;
  InputOptions reading;  // of all files
  const TableOutput& output;
};

// Gives the answer; the exit code.
int answer_growth(Session& session, const GrowthQuestion& question);

}  // namespace polytrace::cli
