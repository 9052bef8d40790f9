// SPDX-License-Identifier: Apache-2.0
// The options that say where a recording goes and what is in it: the same for `record` and
// `attach`.
#pragma once

#include "cli/frame/option_list.hpp"
#include "service/record/recording.hpp"

namespace polytrace::cli {

// --output, --format, --force, --duration and --report.
void add_recording_options(OptionList& list, service::RecordingOptions& options, bool& report);
// --events, --filter, --policy, --limit, --label, --option, --agent and --control.
void add_agent_options(OptionList& list, service::AgentOptions& options);

}  // namespace polytrace::cli
