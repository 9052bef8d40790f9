// SPDX-License-Identifier: Apache-2.0
// Command lines: puts what was typed where the options of the command say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/frame/command.hpp"

namespace polytrace::cli {

// The first word names the command. A file in its place means `info`; anything else is a mistake
// that deserves a guess. Brings the command's name to the front of `words`.
std::optional<base::Error> settle_first_word(std::vector<std::string>& words,
                                             const Catalogue& catalogue);
// The names of all commands.
std::vector<std::string> command_names(const Catalogue& catalogue);

struct Parsed {
  const Entry* entry = nullptr;  // the command; null when none was named
  bool wants_help = false;
  std::string complaint;  // why the line cannot be used; empty when it can
};

// `words`: the line behind the program's name. `named`: the command that its first word names, or
// null. Fills the targets of all options that it names.
Parsed parse(std::vector<std::string> words, const Catalogue& catalogue, const Entry* named);

// Before parsing: takes away what a command leaves to another program (OptionList::leave_rest_to),
// where CLI11 would look for our options, and what stands behind a "--" if the command asks for it.
// The first word is the command, `entry`.
void leave_rest(std::vector<std::string>& words, const Entry* entry);

}  // namespace polytrace::cli
