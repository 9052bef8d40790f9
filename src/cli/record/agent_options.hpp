// SPDX-License-Identifier: Apache-2.0
// What `record` and `attach` tell an agent, as people say it on the command line.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/frame/option_list.hpp"

namespace polytrace::cli {

struct AgentOptions {
  std::vector<std::string> events;   // lists
  std::vector<std::string> filters;  // lists
  std::string policy;
  std::string limit = "4g";         // bytes of the recording, as agents take it
  std::vector<std::string> others;  // NAME=VALUE
  std::string agent;                // path of the library
  bool controllable = false;
  bool children = false;  // are recorded, too: each process in a file with its number
};

// --events, --filter, --policy, --limit, --option, --agent and --control.
void add_agent_options(OptionList& list, AgentOptions& options);

// The option string. `file`: an absolute path for the native stream. Errors: usage, where an option
// is not known or something has a character that separates options.
base::result<std::string> option_string(const AgentOptions& options, const std::string& file);

}  // namespace polytrace::cli
