// SPDX-License-Identifier: Apache-2.0
// Reading a trace and writing it again: what the commands convert and repair do.
#pragma once

#include "cli/conversion_target.hpp"
#include "cli/input.hpp"
#include "cli/session.hpp"

namespace polytrace::cli {

// Writes the input to the target and tells what it lost. With input.strict a target that would not
// hold everything is not written. Gives the exit code.
int convert(Session& session, const InputOptions& input, const TargetOptions& target);

}  // namespace polytrace::cli
