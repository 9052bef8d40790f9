// SPDX-License-Identifier: Apache-2.0
// What stands at the top of a report. The summary, ten lines a person understands: what the other
// analyses say of themselves in a line. The suspects, what looks like a fault: each analysis has
// its own rule, these are their findings in one table.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analysis/sections.hpp"
#include "analysis/table/cells.hpp"
#include "base/text/figure_text.hpp"
#include "slice/names.hpp"

namespace polytrace::analysis {
namespace {

class Summary final : public Analysis {
 public:
  explicit Summary(const Shared& shared) : quoted_(shared.quoted) {}

  void consume(const Slice&) override {}
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;

 private:
  const std::vector<Quoted>* quoted_;
};

std::vector<Table> Summary::tables(const Names& names, const TableOptions&) const {
  Table table = make_table("summary", "summary", "Summary", {{"topic", "About"}, {"text", "What"}});
  const Extent extent = extent_of(names);
  if (extent.events == 0) return {std::move(table)};
  table.rows.push_back(
      {std::string("Trace"),
       fmt::format("{} over {}", base::count_text(extent.events, "event", "events"),
                   base::duration_text(extent.span()))});
  for (const Quoted& quoted : *quoted_) {
    for (std::string& line : quoted.analysis->headlines(names)) {
      table.rows.push_back({std::string(quoted.topic), std::move(line)});
    }
  }
  return {std::move(table)};
}

class Suspects final : public Analysis {
 public:
  explicit Suspects(const Shared& shared) : quoted_(shared.quoted) {}

  void consume(const Slice&) override {}
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  std::vector<Suspect> suspects(const Names& names) const override;

 private:
  const std::vector<Quoted>* quoted_;
};

std::vector<Suspect> Suspects::suspects(const Names& names) const {
  std::vector<Suspect> all;
  for (const Quoted& quoted : *quoted_)
    std::ranges::move(quoted.analysis->suspects(names), std::back_inserter(all));
  return all;
}

std::vector<Table> Suspects::tables(const Names& names, const TableOptions&) const {
  Table table = make_table("suspects", "suspects", "Suspects",
                           {{"fault", "Looks like"}, {"what", "Where"}, {"why", "Why"}});
  for (Suspect& suspect : suspects(names))
    table.rows.push_back(
        {std::move(suspect.fault), std::move(suspect.what), std::move(suspect.why)});
  return {std::move(table)};
}

}  // namespace

std::shared_ptr<Analysis> make_summary(const Shared& shared) {
  return std::make_shared<Summary>(shared);
}
std::shared_ptr<Analysis> make_suspects(const Shared& shared) {
  return std::make_shared<Suspects>(shared);
}

}  // namespace polytrace::analysis
