// SPDX-License-Identifier: Apache-2.0
// A program of polytrace: from the command line to a command and its exit code.
#pragma once

#include "cli/frame/command.hpp"

namespace polytrace::cli {

// Adds a command that this program has.
void add_own(Catalogue& catalogue, std::unique_ptr<Command> command, std::string_view purpose);
// Adds a command that another program has, by its name in a table of commands.
void add_companion(Catalogue& catalogue, std::string_view identifier, std::string_view purpose,
                   std::string_view program);

// Runs the command that the command line names and returns the exit code. Throws nothing.
int run_program(int argc, char** argv, Catalogue& catalogue);

}  // namespace polytrace::cli
