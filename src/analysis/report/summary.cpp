// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/table/cells.hpp"
#include "base/text/figure_text.hpp"
#include "slice/extent.hpp"

namespace polytrace::analysis {
std::vector<Table> Summary::tables(const Names& names, const TableOptions&) const {
  Table table = make_table("summary", "summary", "Summary", {{"topic", "About"}, {"text", "What"}});
  const Extent extent = extent_of(names);
  if (extent.events == 0) return {std::move(table)};
  table.rows.push_back(
      {std::string("Trace"),
       fmt::format("{} over {}", base::count_text(extent.events, "event", "events"),
                   base::duration_text(extent.span()))});
  for (const Quoted& quoted : quoted_) {
    for (std::string& line : quoted.analysis->headlines(names)) {
      table.rows.push_back({std::string(quoted.topic), std::move(line)});
    }
  }
  return {std::move(table)};
}

}  // namespace polytrace::analysis
