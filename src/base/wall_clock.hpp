// SPDX-License-Identifier: Apache-2.0
// The machine's wall clock, which may jump. Thread-safe.
#pragma once

#include <chrono>

#include "base/types.hpp"

namespace polytrace::base {

// Nanoseconds since 1970.
inline Time wall_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// The same in whole seconds.
inline std::int64_t wall_seconds() { return wall_now() / 1'000'000'000; }

}  // namespace polytrace::base
