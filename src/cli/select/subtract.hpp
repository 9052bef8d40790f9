// SPDX-License-Identifier: Apache-2.0
// --subtract: what does not count as time of calls.
#pragma once

#include "cli/select/selection.hpp"

namespace polytrace::cli {

void add_subtract_option(OptionList& list, SelectionOptions& options);

// What the words say, into the selection. Pauses are found in a pass of its own. Errors are usage
// or of the input.
base::result<void> subtract(const Session& session, Input& input, std::string_view words,
                            slice::Selection& selection);

}  // namespace polytrace::cli
