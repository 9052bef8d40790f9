// SPDX-License-Identifier: Apache-2.0
// A section that counts the slices it saw: what the drill adds.
// Tables: drill.
#include "analysis/sections.hpp"
#include "analysis/table/cells.hpp"

namespace polytrace::analysis {
namespace {

class Drill final : public Analysis {
 public:
  void consume(const Slice& slice) override { events_ += slice.batch.events.size(); }
  std::vector<Table> tables(const Names&, const TableOptions&) const override {
    Table table = make_table("drill", "drill", "Drill", {{"events", "Events", Unit::count}});
    table.rows.push_back({std::uint64_t{events_}});
    return {std::move(table)};
  }

 private:
  std::uint64_t events_ = 0;
};

}  // namespace

std::shared_ptr<Analysis> make_drill(const Shared&) { return std::make_shared<Drill>(); }

}  // namespace polytrace::analysis
