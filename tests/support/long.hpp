// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

namespace polytrace::test {

// Whether everything is tried, as ./dev test --long does, or the part that each change must pass.
inline bool is_long() { return std::getenv("POLYTRACE_LONG") != nullptr; }

}  // namespace polytrace::test
