// SPDX-License-Identifier: Apache-2.0
// What an agent is told, as people say it, and what is recorded where they do not say what.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace polytrace::service {

struct AgentOptions {
  std::vector<std::string> events;   // lists
  std::vector<std::string> filters;  // lists
  std::string policy;
  std::string limit = "4g";         // bytes of the recording, as agents take it
  std::vector<std::string> labels;  // NAME=VALUE
  std::vector<std::string> others;  // NAME=VALUE
  std::string agent;                // path of the library
  bool controllable = false;
  bool children = false;  // are recorded, too: each process in a file with its number
};

// The kinds of events, and the names of all options, as agents know them.
std::vector<std::string> agent_events();
std::vector<std::string> agent_option_names();

// Completes the events, as one list: with the default where nothing else says what is recorded, and
// in place of a leading plus sign. Of each kind the last word counts. `runtime`: "java".
void complete_events(AgentOptions& options, std::string_view runtime);
// What the events, or the option events=, say.
std::string kinds_of(const AgentOptions& options);

enum class Beginning : std::uint8_t { with_program, while_it_runs };
// Something that a recording leaves out unless an option of `record` asks for it.
struct Gap {
  std::string_view what;
  std::string_view how;  // the option
};
// What one with the default events leaves out; nothing where the user has chosen. Before
// complete_events().
std::vector<Gap> gaps_of(const AgentOptions& options, std::string_view runtime,
                         Beginning beginning);

// "shop.ptrace" of process 17: "shop.17.ptrace".
std::string name_for_process(const std::string& path, std::string_view process);
// The option string. `file`: an absolute path for the native stream. Errors: usage, where an option
// is not known or something has a character that separates options.
base::result<std::string> option_string(const AgentOptions& options, const std::string& file);

}  // namespace polytrace::service
