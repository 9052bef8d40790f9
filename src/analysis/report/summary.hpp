// SPDX-License-Identifier: Apache-2.0
// Ten lines a person understands: what the other analyses say of themselves in a line.
#pragma once

#include <string_view>

#include "analysis/analysis.hpp"

namespace polytrace::analysis {

// An analysis to quote, and what its line is about.
struct Quoted {
  std::string_view topic;
  const Analysis* analysis;
};

class Summary : public Analysis {
 public:
  // The quoted analyses are fed and finished by their owner and outlive the summary.
  void quote(std::vector<Quoted> quoted) { quoted_ = std::move(quoted); }

  void consume(const Slice&) override {}
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;

 private:
  std::vector<Quoted> quoted_;
};

}  // namespace polytrace::analysis
