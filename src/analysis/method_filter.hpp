// SPDX-License-Identifier: Apache-2.0
// Which methods the selection shows, decided once per method.
#pragma once

#include <vector>

#include "analysis/selected.hpp"

namespace polytrace::analysis {

class MethodFilter {
 public:
  MethodFilter(const Selection& selection, const Names& names)
      : helpers_(names.methods().size()), wanted_(helpers_.size()) {
    for (std::uint32_t i = 0; i < helpers_.size(); ++i) {
      helpers_[i] = !selection.show_helpers && names.is_helper(i);
      wanted_[i] = selection.name.empty() || keeps(selection, names.method_name(i));
    }
  }
  // Not a runtime helper, or helpers are shown.
  bool visible(std::uint32_t method) const { return method < helpers_.size() && !helpers_[method]; }
  // Its name contains the selected text.
  bool wanted(std::uint32_t method) const { return method < wanted_.size() && wanted_[method]; }

 private:
  std::vector<bool> helpers_;
  std::vector<bool> wanted_;
};

}  // namespace polytrace::analysis
