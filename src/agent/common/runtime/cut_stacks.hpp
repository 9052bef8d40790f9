// SPDX-License-Identifier: Apache-2.0
// Stacks that are deeper than what is recorded of them: their outermost frame is of a method
// "(truncated)", behind which more callers were.
#pragma once

#include "agent/common/options/options.hpp"
#include "base/types.hpp"
#include "format/native/wire/wire.hpp"

namespace polytrace::agent {

// No method has it: theirs are smaller.
inline constexpr base::Id kTruncatedFrame = format::native::kMaxMethod + 1;

// Defines that method, once in a recording, and gives its number. Not in signal handlers.
base::Id truncated_frame();

}  // namespace polytrace::agent
