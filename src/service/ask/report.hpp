// SPDX-License-Identifier: Apache-2.0
// What `report` is asked, and answers made of tables, which `heap` gives, too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/report/report.hpp"
#include "service/input/overview.hpp"
#include "service/input/pass.hpp"
#include "service/selection/selection.hpp"

namespace polytrace::service {

// A section that says nothing, and why: what its format cannot hold, what was not recorded.
struct EmptySection {
  const analysis::Section* section;
  std::string_view reason;  // for programs: "no_place", "not_recorded" or "not_selected"
  std::string text;         // for people
};

struct TableAnswer {
  Reading reading{};
  slice::Selection selection{};
  base::Time start = base::kNoTime;  // of the trace's first event; kNoTime when there is none
  std::optional<CutOff> cut_off{};   // none: nobody has looked
  std::vector<analysis::Table> tables{};
  std::vector<EmptySection> empty{};
  std::optional<Reading> before{};  // what it is compared with
};

struct ReportQuestion {
  std::string sections{};  // keys of analysis::sections(), separated by commas; empty: all
  SelectionOptions selection{};
  std::optional<slice::Selection> chosen{};  // instead of it, and of the next three
  std::string method{};                      // of the section sandwich
  bool fold_recursion = false;               // in the call tree
  bool show_helpers = false;                 // frames of the runtime itself
  analysis::TableOptions table{};
  bool durations = true;  // of methods' calls: else only where no call has to be looked at for them
};
Asked<TableAnswer> ask_report(Input& input, const ReportQuestion& question);

// Leaves the columns that are listed ("a,b"; empty: all), in that order; tables without any of them
// go. Errors: usage, where a word, or the column to sort by, is no column of any table.
base::result<void> choose_columns(std::vector<analysis::Table>& tables, const std::string& sort,
                                  std::string_view columns);

// One screen or two: keeps the tables that matter most, each with its first rows. What a table has
// more of is said in its rows_left_out.
std::vector<analysis::Table> brief(std::vector<analysis::Table> tables);

// {"schema": "polytrace.report/1", ...}
std::string report_json(const TableAnswer& answer);

}  // namespace polytrace::service
