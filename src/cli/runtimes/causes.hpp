// SPDX-License-Identifier: Apache-2.0
// Why a program left no recording.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace polytrace::cli {

// One sentence, "" where nobody knows. `arguments`: the program's, itself first, as its runtime got
// them.
std::string cause_of_nothing(std::string_view runtime, const std::vector<std::string>& arguments);

}  // namespace polytrace::cli
