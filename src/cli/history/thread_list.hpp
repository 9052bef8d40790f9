// SPDX-License-Identifier: Apache-2.0
// The threads that live at one moment, by name, in words: what each runs, and for whom it waits.
#pragma once

#include "cli/history/state_tree.hpp"

namespace polytrace::cli {

// A paragraph, or nothing where no thread's status is among the states.
void append_threads(std::string& out, const StateTree& states, const show::Look& look);

}  // namespace polytrace::cli
