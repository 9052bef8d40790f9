// SPDX-License-Identifier: Apache-2.0
// Who calls a method, how often, and how long that takes: the edges of the call tree by method.
#pragma once

#include <memory>

#include "analysis/calls/calltree.hpp"

namespace polytrace::analysis {

class Callers : public Analysis {
 public:
  // The tree is fed and finished by its owner.
  Callers(const Selection& selection, std::shared_ptr<const CallTree> tree)
      : selection_(selection), tree_(std::move(tree)) {}

  void consume(const Slice&) override {}
  // Methods by total time, each with its callers by the time they cause.
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;

 private:
  Selection selection_;
  std::shared_ptr<const CallTree> tree_;
};

}  // namespace polytrace::analysis
