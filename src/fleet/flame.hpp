// SPDX-License-Identifier: Apache-2.0
// Writes a profile of a fleet as a file of another tool, or as a flame page.
#pragma once

#include <optional>
#include <string>

#include "exports/runners.hpp"
#include "exports/usual_depth.hpp"
#include "fleet/questions.hpp"

namespace polytrace::fleet {

struct FlameOrder {
  const exports::Target* target = nullptr;  // REQUIRES: its kind is profile
  std::optional<std::uint64_t> limit{};     // places in the tree; 0 = all; absent: the target's own
  std::uint64_t depth = exports::kUsualDepth;  // frames of a stack, 0 = all
  std::string file;                            // - is standard output
  bool force = false;                          // replace an existing file
};

// The file appears under its name only when it is complete.
base::result<exports::Result> write_profile(analysis::Profile profile, const std::string& title,
                                            const FlameOrder& order);

}  // namespace polytrace::fleet
