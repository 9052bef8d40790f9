// SPDX-License-Identifier: Apache-2.0
// What the user should know before the program starts: what stands in the recording's way, and what
// a recording changes of the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace polytrace::cli {

// The environment makes a program of .NET load another profiler, whose place ours would take.
// Errors: usage.
base::result<void> check_profiler(std::string_view runtime);

// A sentence each. `options`: the agent's option string; `arguments`: the program's, itself first;
// `children`: are recorded, too.
std::vector<std::string> cautions(std::string_view runtime, const std::string& options,
                                  const std::vector<std::string>& arguments, bool children);

}  // namespace polytrace::cli
