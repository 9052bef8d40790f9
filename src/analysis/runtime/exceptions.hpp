// SPDX-License-Identifier: Apache-2.0
// Exceptions: how many by class, where thrown, where caught. A recorder does not tell the class of
// a thrown object; it is known when the object's allocation was among the recent ones.
#pragma once

#include <map>

#include "analysis/analysis.hpp"
#include "analysis/runtime/throw_bursts.hpp"
#include "slice/recent_classes.hpp"

namespace polytrace::analysis {

class Exceptions : public Analysis {
 public:
  explicit Exceptions(const Selection& selection) : selection_(selection) {}

  void consume(const Slice& slice) override;
  void finish(const Names& names) override { bursts_.finish(names); }
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  std::vector<std::string> headlines(const Names& names) const override;
  std::vector<Suspect> suspects(const Names& names) const override;

 private:
  void thrown(const Slice& slice, std::uint32_t index);
  std::uint32_t class_of(const Slice& slice, base::Id object, const event::Throw& details);
  Table classes_table(const Names& names, const TableOptions& options) const;
  Table sites_table(const Names& names, const TableOptions& options) const;
  Table bursts_table(const Names& names, const TableOptions& options) const;
  Table clauses_table(const Names& names, const TableOptions& options) const;

  Selection selection_;
  RecentClasses recent_;
  ThrowBursts bursts_;
  std::uint64_t thrown_ = 0;
  std::uint64_t no_stack_ = 0;  // nor a call around
  std::uint64_t by_calls_ = 0;
  std::map<std::uint32_t, std::uint64_t> classes_;                                // kNone: unknown
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> sites_;        // method, class
  std::map<std::pair<std::uint32_t, event::ClauseKind>, std::uint64_t> clauses_;  // by method
};

std::unique_ptr<Analysis> make_exceptions(const Selection& selection);

}  // namespace polytrace::analysis
