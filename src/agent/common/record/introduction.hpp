// SPDX-License-Identifier: Apache-2.0
// What every agent tells of the machine and of its recording before anything else.
#pragma once

#include <sys/utsname.h>

#include <string>

#include "agent/common/options/options.hpp"
#include "event/details.hpp"

namespace polytrace::agent {

// What was passed to the program, arguments divided by spaces; secrets are not in it.
std::string command_line();
// This machine. Keep it as long as what machine_facts() gave.
utsname ask_machine();
// An event Process that says where the program runs and who records it; the runtime and the
// program are the agent's to add. Its texts are those of the arguments.
event::Process process_facts(const utsname& machine, std::string_view agent,
                             std::string_view options);
// Setting events. REQUIRES: a recorder that runs.
void define_settings(const Options& options);
void define_setting(std::string_view key, std::string_view value);
// FilterRule events, in their order.
void define_filters(const Filters& filters);

}  // namespace polytrace::agent
