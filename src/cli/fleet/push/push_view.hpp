// SPDX-License-Identifier: Apache-2.0
// What push tells of files that were taken; and the way to a collector. One thread at a time.
#pragma once

#include <string>
#include <vector>

#include "cli/frame/session.hpp"
#include "collector/push/push_to_hub.hpp"

namespace polytrace::cli {

// One process of a file: what was refused and what will not stay on standard error and, without
// --json, the rest on standard output. The exit code that what was refused asks for.
int tell_pushed(Session& session, const collector::Pushed& pushed, base::Time now);

// The files to a collector, one after the other. Returns the exit code.
int push_files_to_hub(Session& session, const std::vector<std::string>& files,
                      const collector::PushQuery& query, const collector::HubOptions& hub,
                      base::Time now);

}  // namespace polytrace::cli
