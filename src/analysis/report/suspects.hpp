// SPDX-License-Identifier: Apache-2.0
// What looks like a fault, at the top of a report: each analysis has its own rule, these are their
// findings in one table.
#pragma once

#include "analysis/report/summary.hpp"

namespace polytrace::analysis {

class Suspects : public Analysis {
 public:
  // As of Summary.
  void quote(std::vector<Quoted> quoted) { quoted_ = std::move(quoted); }

  void consume(const Slice&) override {}
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;

 private:
  std::vector<Quoted> quoted_;
};

}  // namespace polytrace::analysis
