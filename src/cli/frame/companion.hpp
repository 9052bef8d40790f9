// SPDX-License-Identifier: Apache-2.0
// polytrace is several programs in one folder. Each lists the commands of all of them, has those of
// its own, and starts the program that has the others.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/frame/command.hpp"

namespace polytrace::cli {

// A command that `program` has: Command::program() names it. `identifier` is its name in a table of
// commands: "history_build". Both live as long as the command.
std::unique_ptr<Command> make_companion(std::string_view identifier, std::string_view program);

// Replaces this process by `program` of the same folder, with these words behind its name. Returns
// only if that is impossible, with the reason and how to get the program.
base::Error run_companion(std::string_view program, const std::vector<std::string>& words);

// The lines that `program` of the same folder prints for these words; empty if it is not there.
std::vector<std::string> companion_lines(std::string_view program, std::vector<std::string> words);

}  // namespace polytrace::cli
