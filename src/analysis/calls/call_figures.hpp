// SPDX-License-Identifier: Apache-2.0
// Figures of calls that somebody else counted, for a CallTree that walks no trace.
#pragma once

#include <limits>
#include <vector>

#include "base/duration_sketch.hpp"
#include "event/open_calls.hpp"

namespace polytrace::analysis {

struct CallFigures {
  // One path. Callers stand before those that they call; the first stands below the outermost
  // calls and has no figures.
  struct Path {
    std::uint32_t caller = 0;  // its place
    std::uint32_t method = 0;  // index in the Names of the report
    std::uint64_t calls = 0;
    std::uint64_t self = 0;  // nanoseconds
  };
  struct Method {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();  // nanoseconds
    std::uint64_t most = 0;
    base::DurationSketch sketch{};
  };
  std::vector<Path> paths{};
  std::vector<Method> methods{};  // by index; may be shorter, or empty where nobody asks for them
  event::CallAccount repairs{};
};

}  // namespace polytrace::analysis
