// SPDX-License-Identifier: Apache-2.0
// What the sections of counters are called, for all who tell of counters. Pure; thread-safe.
#pragma once

#include <string>

#include "event/details.hpp"

namespace polytrace::analysis {

// The name told, that of a section runtimes know by number, or "section 0x..".
std::string counter_section(const event::CounterDef& details);

}  // namespace polytrace::analysis
