// SPDX-License-Identifier: Apache-2.0
// What stands in a recording's way, what it changes of the program, and why it left nothing: what
// the user should know before the program starts, and behind its end. Sentences.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace polytrace::service {

// The environment makes a program of .NET load another profiler, whose place ours would take.
// Errors: usage.
base::result<void> check_profiler(std::string_view runtime);

// A sentence each. `options`: the agent's option string; `arguments`: the program's, itself first;
// `children`: are recorded, too.
std::vector<std::string> cautions(std::string_view runtime, const std::string& options,
                                  const std::vector<std::string>& arguments, bool children);

// Why a program left no recording. One sentence, "" where nobody knows. `arguments`: as its runtime
// got them.
std::string cause_of_nothing(std::string_view runtime, const std::vector<std::string>& arguments);

}  // namespace polytrace::service
