// SPDX-License-Identifier: Apache-2.0
// What this VM can be asked for, and what the session needs of it.
#pragma once

#include "agent/common/tools/faults.hpp"
#include "agent/jvm/facts/settings.hpp"

namespace polytrace::agent::jvm {

// Asks for what `settings` need and this VM has now; what is missing is told in `faults` and left
// out of `settings`.
void ask_capabilities(Settings& settings, Faults& faults);
// Sets the callbacks of all events, enabled or not.
void set_callbacks();
// Enables those that `settings` want, or disables all of them.
void enable_events(const Settings& settings, bool on);

}  // namespace polytrace::agent::jvm
