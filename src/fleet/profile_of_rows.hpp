// SPDX-License-Identifier: Apache-2.0
// Rows of a store as a profile: what every exporter, the flame page and comparisons take.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/profile/profile.hpp"
#include "fleet/frames.hpp"

namespace polytrace::fleet {

struct StackRow {
  warehouse::Id128 stack{};
  std::uint64_t count = 0;
  std::uint64_t weight = 0;
};

// All threads merged. What the store does not know counts for a frame that says so, and is told in
// a note. REQUIRES: `frames` has loaded the stacks that it knows.
analysis::Profile profile_of_rows(const std::vector<StackRow>& rows, const Frames& frames,
                                  const analysis::Weight& weight, std::uint64_t more_count,
                                  std::uint64_t more_weight);

}  // namespace polytrace::fleet
