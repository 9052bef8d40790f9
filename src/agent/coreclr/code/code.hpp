// SPDX-License-Identifier: Apache-2.0
// Where the compiled code of methods is, and which IL its parts come from.
#pragma once

#include "agent/coreclr/runtime/runtime.hpp"

namespace polytrace::agent::coreclr {

// The code that was made first; of size 0 where there is none (yet).
CodeRange first_code(RuntimeId function);
// Code events for all that the method has, each version with its IL map. Any thread.
void tell_code(std::uint32_t number, RuntimeId function);

}  // namespace polytrace::agent::coreclr
