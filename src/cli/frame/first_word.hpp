// SPDX-License-Identifier: Apache-2.0
// The first word names the command. A file in its place means `info`; anything else is a mistake
// that deserves a guess.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/frame/command.hpp"

namespace polytrace::cli {

// Brings the command's name to the front of `words`, adding "info" for a bare file.
std::optional<base::Error> settle_first_word(std::vector<std::string>& words,
                                             const Catalogue& catalogue);

// The names of all commands.
std::vector<std::string> command_names(const Catalogue& catalogue);

}  // namespace polytrace::cli
