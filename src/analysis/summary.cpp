// SPDX-License-Identifier: Apache-2.0
#include "analysis/summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/selected.hpp"
#include "analysis/text.hpp"

namespace polytrace::analysis {
namespace {

struct Extent {
  std::uint64_t events = 0;
  std::uint64_t span = 0;  // nanoseconds from the first to the last
};

// Of all threads; what the file's head says is no thread's.
Extent extent_of(const std::vector<ThreadInfo>& threads) {
  Extent extent;
  base::Time first = std::numeric_limits<base::Time>::max();
  base::Time last = std::numeric_limits<base::Time>::min();
  for (const ThreadInfo& thread : threads) {
    if (thread.events == 0 || thread.id == base::kNoId) continue;
    extent.events += thread.events;
    first = std::min(first, thread.first);
    last = std::max(last, thread.last);
  }
  extent.span = elapsed(first, last);
  return extent;
}

}  // namespace

std::vector<Table> Summary::tables(const Names& names, const TableOptions&) const {
  Table table = make_table("summary", "summary", "Summary", {{"topic", "About"}, {"text", "What"}});
  const Extent extent = extent_of(names.threads());
  if (extent.events == 0) return {std::move(table)};
  table.rows.push_back(
      {std::string("Trace"), fmt::format("{} over {}", count_text(extent.events, "event", "events"),
                                         duration_text(extent.span))});
  for (const Quoted& quoted : quoted_) {
    for (std::string& line : quoted.analysis->headlines(names)) {
      table.rows.push_back({std::string(quoted.topic), std::move(line)});
    }
  }
  return {std::move(table)};
}

}  // namespace polytrace::analysis
