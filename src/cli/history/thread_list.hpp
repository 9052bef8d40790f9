// SPDX-License-Identifier: Apache-2.0
// The threads that live at one moment, by name, in words: what each runs, and for whom it waits.
#pragma once

#include "service/states/state_tree.hpp"

namespace polytrace::cli {

// A paragraph, or nothing where no thread's status is among the states.
void append_threads(std::string& out, const StateTree& states, const Look& look);

}  // namespace polytrace::cli
