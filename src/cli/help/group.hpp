// SPDX-License-Identifier: Apache-2.0
// The word that the commands of a group share: alone it lists them.
#pragma once

#include <memory>

#include "cli/frame/command.hpp"

namespace polytrace::cli {

// `help` names the group and lives as long as the command.
std::unique_ptr<Command> make_group(const CommandHelp& help);

}  // namespace polytrace::cli
