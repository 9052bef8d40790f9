// SPDX-License-Identifier: Apache-2.0
// What the numbers of a runtime's states count (docs/states.md, "Attributes"). Pure; thread-safe.
#pragma once

#include <string_view>

#include "history/model/tree.hpp"

namespace polytrace::analysis::states {

// "ns" or "B"; empty for a count and for what is no number.
std::string_view unit_of(const history::Tree& tree, history::Tree::Node node);

}  // namespace polytrace::analysis::states
