// SPDX-License-Identifier: Apache-2.0
// What is recorded where the user does not say what.
#pragma once

#include <string>
#include <string_view>

#include "cli/record/agent_options.hpp"

namespace polytrace::cli {

enum class Beginning : std::uint8_t { with_program, while_it_runs };

// Completes --events: with the default where nothing else says what is recorded, and in place of a
// leading plus sign. `runtime`: "java".
void complete_events(AgentOptions& options, std::string_view runtime);

// The kinds of events of a recording without --events, as --events takes them.
std::string_view default_events(std::string_view runtime);

// What --events, or --option events=, say.
std::string kinds_of(const AgentOptions& options);

// One sentence about what a recording with the default events leaves out, with the options that get
// it; "" where the user has chosen. Before complete_events().
std::string left_out(const AgentOptions& options, std::string_view runtime, Beginning beginning);

}  // namespace polytrace::cli
