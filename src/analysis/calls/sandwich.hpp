// SPDX-License-Identifier: Apache-2.0
// The call tree from other ends: bottom-up from the methods with the most time of their own, and
// one method between all its callers and all its callees.
#pragma once

#include <memory>

#include "analysis/calls/calltree.hpp"

namespace polytrace::analysis {

// With Selection::method the sandwich of that method, else the tree bottom-up.
class Sandwich : public Analysis {
 public:
  // The tree is fed and finished by its owner.
  Sandwich(const Selection& selection, std::shared_ptr<const CallTree> tree)
      : selection_(selection), tree_(std::move(tree)) {}

  void consume(const Slice&) override {}
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;

 private:
  Selection selection_;
  std::shared_ptr<const CallTree> tree_;
};

}  // namespace polytrace::analysis
