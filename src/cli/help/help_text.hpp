// SPDX-License-Identifier: Apache-2.0
// Help as text of at most 80 columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/command.hpp"

namespace polytrace::cli {

inline constexpr std::string_view kProgramPurpose =
    "reads, converts and explains profiler traces of managed runtimes";
// The program's own help: what it is, the commands.
const CommandHelp& program_help();
std::string overview_help(const Catalogue& catalogue);
std::string command_help(const Entry& entry);
// The commands of a group, "history".
std::string group_help(const Catalogue& catalogue, std::string_view group);

// Help that belongs to no single command.
struct Topic {
  std::string_view name;
  std::string_view purpose;
  std::string (*text)();
};
const std::vector<Topic>& topics();

// `text` broken between words, each line indented; the first line continues one that has `used`
// columns already.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t used);

}  // namespace polytrace::cli
