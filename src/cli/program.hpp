// SPDX-License-Identifier: Apache-2.0
// From the command line to a command and its exit code.
#pragma once

#include "cli/frame/command.hpp"

namespace polytrace::cli {

// Parses, runs, and gives the exit code. Nothing is thrown.
int run_program(int argc, char** argv, Catalogue& catalogue);

}  // namespace polytrace::cli
