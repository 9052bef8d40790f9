// SPDX-License-Identifier: Apache-2.0
// What is wrong with what the user asked for, as sentences: told on stderr or to the client, never
// fatal.
#pragma once

#include <string>
#include <vector>

namespace polytrace::agent {

using Faults = std::vector<std::string>;

}  // namespace polytrace::agent
