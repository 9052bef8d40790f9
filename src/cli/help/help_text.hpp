// SPDX-License-Identifier: Apache-2.0
// Help as text of at most 80 columns.
#pragma once

#include <string>
#include <string_view>

#include "cli/frame/command.hpp"

namespace polytrace::cli {

// The program's own help: what it is, the commands.
const CommandHelp& program_help();
std::string overview_help(const Catalogue& catalogue);
std::string command_help(const Entry& entry);
// The commands of a group, "history".
std::string group_help(const Catalogue& catalogue, std::string_view group);

// `text` broken between words, each line indented; the first line continues one that has `used`
// columns already.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t used);

}  // namespace polytrace::cli
