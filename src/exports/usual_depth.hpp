// SPDX-License-Identifier: Apache-2.0
// How many frames of a stack exports show unless told otherwise.
#pragma once

#include <cstdint>

namespace polytrace::exports {

// The stacks that agents record are whole: 1024 frames, and one that says that there were more.
inline constexpr std::uint64_t kUsualDepth = 1100;

}  // namespace polytrace::exports
