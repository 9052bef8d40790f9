// SPDX-License-Identifier: Apache-2.0
// What a recording holds, and the commands that explain it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "service/input/overview.hpp"

namespace polytrace::cli {

// Of the file, where it is small enough to be read while the user waits.
std::optional<service::Overview> look_into(const std::string& file);

// At most three command lines that make sense for what is in it, to be pasted. `events`: what was
// to be recorded, for a file that nobody has looked into.
std::vector<std::string> next_steps(const std::string& file,
                                    const std::optional<service::Overview>& seen,
                                    const std::string& events);

}  // namespace polytrace::cli
