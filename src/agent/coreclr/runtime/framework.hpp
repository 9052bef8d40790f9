// SPDX-License-Identifier: Apache-2.0
// Which code is .NET's own: what lies in the folder of shared frameworks that the runtime itself
// comes from. Names do not tell: libraries and programs have classes in System and Microsoft, too.
#pragma once

#include <string>

#include "agent/coreclr/runtime/abi.hpp"

namespace polytrace::agent::coreclr {

// "/usr/share/dotnet/shared/"; "" where the runtime came with the program, in whose folder
// frameworks and libraries lie side by side. REQUIRES: hold_runtime().
const std::string& framework_folder();
// False where the folder is not known.
bool is_of_framework(RuntimeId module);

}  // namespace polytrace::agent::coreclr
