// SPDX-License-Identifier: Apache-2.0
// What a shell can complete, command by command: the common ground of the scripts of all shells.
// Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/command.hpp"
#include "cli/help/help_model.hpp"

namespace polytrace::cli {

// What stands behind an option, or at a place of the line.
enum class Completes : unsigned char { nothing, files, threads, choices, list };

// One option or positional argument of one command.
struct CompletionWord {
  OptionHelp option;
  Completes completes;

  bool is_positional() const { return option.names.empty(); }
  bool takes_value() const { return !is_positional() && !option.value.empty(); }
  // Whether something goes on behind each of the choices, as in NAME=VALUE.
  bool is_open() const { return option.value.find('=') != std::string::npos; }
};

struct CompletionCommand {
  std::string name;   // as people type it: "history build"
  std::string group;  // "history", else empty
  std::string purpose;
  std::vector<CompletionWord> options;
  std::vector<CompletionWord> positionals;
  bool leaves_rest = false;  // to another program

  // "build" of "history build".
  std::string own_name() const { return group.empty() ? name : name.substr(group.size() + 1); }
};

// A command without its options.
CompletionCommand name_of(const Entry& entry);
// The commands that this program has.
std::vector<CompletionCommand> completion_commands(const Catalogue& catalogue);
// The first words of a line: commands, and those of no group.
std::vector<std::string> first_words(const std::vector<CompletionCommand>& commands);
// Of grouped commands the first words, each once; and the second words of one group.
std::vector<std::string> group_names(const std::vector<CompletionCommand>& commands);
std::vector<std::string> group_members(const std::vector<CompletionCommand>& commands,
                                       std::string_view group);

}  // namespace polytrace::cli
