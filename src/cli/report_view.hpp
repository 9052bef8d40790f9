// SPDX-License-Identifier: Apache-2.0
// How the answers of `report` and `heap` look in each form.
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
  bool is_brief = false;  // show what matters most, and how to see the rest
};

// The options of commands that answer so.
struct ReportOutput {
  std::string sort;
  std::uint64_t limit = 20;
  std::string format = "text";

  void add_to(OptionList& list);
  show::TableForm form(const Session& session) const;
};

// Gives the answer; the exit code.
int answer(Session& session, ReportResult result, show::TableForm form);

}  // namespace polytrace::cli
