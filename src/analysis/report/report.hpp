// SPDX-License-Identifier: Apache-2.0
// Feeds a trace to the analyses of the selected sections, and no others: one slicer, one walk.
// The notices of reading are not its business; whoever pumps shows them. One thread at a time.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "analysis/sections.hpp"
#include "analysis/table/words.hpp"
#include "event/pump.hpp"
#include "slice/slicer.hpp"

namespace polytrace::analysis {

class Report : public event::Consumer {
 public:
  // The sections in the order they are shown; none given means all. Summary and
  // suspects make the sections they quote run too, unshown.
  Report(const std::vector<const Section*>& selected, const Selection& selection,
         HeapObjects objects = HeapObjects::are_whole);
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  bool consume(const event::Batch& batch) override;
  // Once, after the last batch.
  void finish();
  // After finish(): the tables of all selected sections, in order, also those without rows.
  std::vector<Table> tables(const TableOptions& options) const;
  // After finish(): of `all` (what tables() gave), the sections whose tables have no rows. Whether
  // there was any event that they need.
  struct Empty {
    const Section* section;
    bool had_events;
  };
  std::vector<Empty> empty_sections(const std::vector<Table>& all) const;
  // After finish(): the limits that analyses reached, each once.
  std::vector<std::string> limits() const;
  // Of a section that was selected or is quoted, by its key; null of another. For after finish().
  const Analysis* analysis(std::string_view section) const;
  const Names& names() const { return slicer_.names(); }

  // Before the first batch: `also` gets every slice, behind the analyses.
  void share_slices(std::function<void(const Slice&)> also) { also_ = std::move(also); }
  // What sections share; null where none asks for it.
  const std::shared_ptr<CallTree>& tree() const { return tree_; }

 private:
  struct Part {
    const Section* section;
    std::shared_ptr<Analysis> analysis;
    bool shown;
  };
  void add(const Section& section, const Shared& shared, bool shown);
  void quote();
  void see(const Slice& slice);

  Selection selection_;
  Slicer slicer_;
  std::shared_ptr<CallTree> tree_;
  std::function<void(const Slice&)> also_;
  std::vector<Part> parts_;
  std::vector<Quoted> quoted_;  // what summary and suspects look at
  std::array<bool, event::kKindCount> seen_{};
  // Each analysis once, a shared one before those that take from it.
  std::vector<Analysis*> fed_;
};

}  // namespace polytrace::analysis
