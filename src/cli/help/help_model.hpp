// SPDX-License-Identifier: Apache-2.0
// What there is to say about a command, taken from its CommandHelp and the options it defined: the
// one source of --help, of the man pages and of the shell completions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/command.hpp"

namespace polytrace::cli {

struct OptionHelp {
  std::vector<std::string> names;  // "-q", "--quiet"; empty for a positional argument
  std::string value;               // what it takes: "FILE"; empty for a flag
  std::string description;
  std::string default_value;         // empty = none
  std::vector<std::string> choices;  // the words it can take, when they are known

  // "-q, --quiet", "--color WHEN", "FILE"
  std::string heading() const;
  // "KIND[,KIND...]": several words, separated by commas.
  bool is_list() const { return value.find("[,") != value.npos; }
};

struct OptionGroup {
  std::string title;
  std::vector<OptionHelp> options;
};

// In the order of definition, --help with the general ones.
std::vector<OptionGroup> option_groups(const OptionList& list);

struct ExitMeaning {
  int code;
  std::string_view meaning;
};
const std::vector<ExitMeaning>& exit_meanings();
std::string_view exit_meaning(int code);

}  // namespace polytrace::cli
