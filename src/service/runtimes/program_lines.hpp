// SPDX-License-Identifier: Apache-2.0
// What another program prints.
#pragma once

#include <string>
#include <vector>

namespace polytrace::service {

// Runs words[0], a path, with the others as its arguments, and returns the lines of its standard
// output. Its standard error is discarded. Empty if the program cannot be started. Thread-safe.
std::vector<std::string> program_lines(const std::vector<std::string>& words);

}  // namespace polytrace::service
