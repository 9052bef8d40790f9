// SPDX-License-Identifier: Apache-2.0
// The methods that the recorder names because it could not instrument them (event/missing.hpp).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "event/details.hpp"

namespace polytrace::analysis {

// "a, b, c and 2 more"
std::string list_text(const std::vector<std::string>& names);

class Uninstrumented {
 public:
  // Whether the setting names a method.
  bool take(const event::Setting& setting);

  struct Group {
    bool calls = false;  // are missing; else allocations
    std::string reason{};
    std::vector<std::string> methods{};  // each once, in the order of the trace
  };
  // In the order of the trace.
  const std::vector<Group>& groups() const { return groups_; }

 private:
  std::vector<Group> groups_;
};

// "calls of Huge.m0, Huge.m1 and 1 more: code would exceed 65535 bytes"
std::string text_of(const Uninstrumented::Group& group);

}  // namespace polytrace::analysis
