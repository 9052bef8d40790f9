// SPDX-License-Identifier: Apache-2.0
// Which methods the selection names, decided once per method.
#pragma once

#include <vector>

#include "analysis/table/words.hpp"

namespace polytrace::analysis {

class MethodFilter {
 public:
  MethodFilter(const Selection& selection, const Names& names)
      : wanted_(names.methods().size()), all_(selection.name.is_any()) {
    for (std::uint32_t i = 0; i < wanted_.size(); ++i)
      wanted_[i] = keeps(selection, names.method_name(i));
  }
  // Its name contains the selected text. What is no method is wanted where nothing was selected.
  bool wanted(std::uint32_t method) const {
    return method < wanted_.size() ? wanted_[method] : all_;
  }

 private:
  std::vector<bool> wanted_;
  bool all_;
};

}  // namespace polytrace::analysis
