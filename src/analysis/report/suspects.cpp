// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/suspects.hpp"

#include "analysis/table/cells.hpp"

namespace polytrace::analysis {

std::vector<Table> Suspects::tables(const Names& names, const TableOptions&) const {
  Table table = make_table("suspects", "suspects", "Suspects",
                           {{"fault", "Looks like"}, {"what", "Where"}, {"why", "Why"}});
  for (const Quoted& quoted : quoted_)
    for (Suspect& suspect : quoted.analysis->suspects(names))
      table.rows.push_back(
          {std::move(suspect.fault), std::move(suspect.what), std::move(suspect.why)});
  return {std::move(table)};
}

}  // namespace polytrace::analysis
