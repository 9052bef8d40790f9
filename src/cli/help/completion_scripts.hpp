// SPDX-License-Identifier: Apache-2.0
// Completion scripts, made by walking the commands and their options. Pure; thread-safe.
#pragma once

#include <string>

#include "cli/frame/command.hpp"

namespace polytrace::cli {

std::string bash_completion(const Catalogue& catalogue);
std::string zsh_completion(const Catalogue& catalogue);
std::string fish_completion(const Catalogue& catalogue);

}  // namespace polytrace::cli
