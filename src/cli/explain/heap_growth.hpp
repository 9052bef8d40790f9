// SPDX-License-Identifier: Apache-2.0
// What became more from one heap snapshot to another, of one file or of two.
#pragma once

#include <string>
#include <vector>

#include "cli/explain/report_view.hpp"

namespace polytrace::cli {

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
