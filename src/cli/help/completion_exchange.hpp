// SPDX-License-Identifier: Apache-2.0
// What a shell can complete, as lines of text: the programs of polytrace print them for each other.
// Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "cli/help/completion_words.hpp"

namespace polytrace::cli {

// Writes commands, each followed by its options and positional arguments, one a line. Fields are
// separated by tabs, the words of a list by blanks.
std::string write_completion(const std::vector<CompletionCommand>& commands);

// Reads what write_completion wrote. Lines that it does not know are ignored.
std::vector<CompletionCommand> read_completion(const std::vector<std::string>& lines);

}  // namespace polytrace::cli
