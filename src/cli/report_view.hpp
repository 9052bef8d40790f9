// SPDX-License-Identifier: Apache-2.0
// How the answer of `report` looks in each form.
#pragma once

#include <string>
#include <vector>

#include "analysis/analysis.hpp"
#include "cli/empty_sections.hpp"
#include "cli/input.hpp"
#include "cli/show/tables.hpp"

namespace polytrace::cli {

struct ReportResult {
  const Input& input;
  const format::Opened& opened;
  const Passed& passed;
  const analysis::Selection& selection;
  base::Time start;  // of the trace's first event; kNoTime when there is none
  std::vector<analysis::Table> tables;
  std::vector<EmptySection> empty{};
};

void append_report(std::string& out, const ReportResult& result, show::TableForm form,
                   show::Look look);

}  // namespace polytrace::cli
