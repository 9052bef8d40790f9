// SPDX-License-Identifier: Apache-2.0
// What the commands that write traces have in common.
#pragma once

#include "cli/frame/session.hpp"
#include "service/convert/conversion.hpp"

namespace polytrace::cli {

// --output, --byte-order and --force.
void add_output_options(OptionList& list, service::TargetOptions& options);
// These, --to (or another name for it), --to-version, and of the input --strict: for commands that
// may write another format than the input's.
void add_conversion_options(OptionList& list, service::InputOptions& input,
                            service::TargetOptions& target, const char* to = "--to");

// Tells what was written and what was lost, or why not. Gives the exit code; `strict`: that losses
// are failures.
int tell_conversion(Session& session, const service::Asked<service::Conversion>& done, bool strict);

}  // namespace polytrace::cli
