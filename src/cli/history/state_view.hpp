// SPDX-License-Identifier: Apache-2.0
// How states of a history look.
#pragma once

#include <string>

#include "cli/frame/session.hpp"
#include "cli/show/tables.hpp"
#include "service/states/state_tree.hpp"

namespace polytrace::cli {

// The table of a history in any form but JSON.
void append_states(std::string& out, const analysis::Table& table, TableForm form, Look look,
                   history::Tick start);

// Indented names with their values; what is null or absent is left out, unless `nulls`.
void append_tree(std::string& out, const service::StateTree& states, const Look& look, bool nulls);
// The threads that live at the moment, by name, in words: what each runs, and for whom it waits.
// Nothing where no thread's status is among the states.
void append_threads(std::string& out, const service::StateTree& states, const Look& look);

}  // namespace polytrace::cli
