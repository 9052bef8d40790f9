// SPDX-License-Identifier: Apache-2.0
// Reading a trace and writing it again: what the commands that write traces have in common.
#pragma once

#include "cli/convert/conversion_route.hpp"
#include "cli/frame/session.hpp"

namespace polytrace::cli {

// Writes the input to the target and tells what it lost. With input.strict a target that would not
// hold everything is not written. Gives the exit code.
int convert(Session& session, const InputOptions& input, const TargetOptions& target);
// The same with a change on the way.
int convert(Session& session, const Input& input, const TargetOptions& target,
            const Change& change);

// --output, --to (or another name for it), --to-version, --byte-order, --force, and of the input
// --strict: for commands that may write another format than the input's.
void add_conversion_options(OptionList& list, InputOptions& input, TargetOptions& target,
                            const char* to = "--to");

}  // namespace polytrace::cli
