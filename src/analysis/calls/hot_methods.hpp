// SPDX-License-Identifier: Apache-2.0
// Methods that are called over and over by one caller and take a good part of the time: what a
// better way of searching or a cache would save.
#pragma once

#include "analysis/calls/calltree.hpp"

namespace polytrace::analysis {

// At most two, the one with the most time first. `waited`: time of all calls that threads spent
// waiting, which is nobody's work.
std::vector<Suspect> find_hot_methods(const CallTree& tree, std::uint64_t waited,
                                      const Names& names);

}  // namespace polytrace::analysis
