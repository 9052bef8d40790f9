// SPDX-License-Identifier: Apache-2.0
// Completion scripts, made by walking the commands and their options. Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "cli/help/completion_words.hpp"

namespace polytrace::cli {

std::string bash_completion(const std::vector<CompletionCommand>& commands);
std::string zsh_completion(const std::vector<CompletionCommand>& commands);
std::string fish_completion(const std::vector<CompletionCommand>& commands);

}  // namespace polytrace::cli
