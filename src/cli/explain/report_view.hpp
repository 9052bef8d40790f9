// SPDX-License-Identifier: Apache-2.0
// How the answers of `report` and `heap` look in each form.
#pragma once

#include <string>
#include <vector>

#include "analysis/analysis.hpp"
#include "cli/explain/empty_sections.hpp"
#include "cli/options/table_output.hpp"
#include "service/input/input.hpp"
#include "cli/show/tables.hpp"

namespace polytrace::cli {

struct ReportSource {
  const Input& input;
  const format::Opened& opened;
  const Passed& passed;
};

struct ReportResult {
  const Input& input;
  const format::Opened& opened;
  const Passed& passed;
  const slice::Selection& selection;
  base::Time start;  // of the trace's first event; kNoTime when there is none
  std::vector<analysis::Table> tables;
  std::vector<EmptySection> empty{};
  const ReportSource* before = nullptr;  // what it is compared with
  bool is_brief = false;                 // show what matters most, and how to see the rest
};

// Gives the answer; the exit code.
int answer(Session& session, ReportResult result, const TableOutput& output);

}  // namespace polytrace::cli
