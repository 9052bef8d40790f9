// SPDX-License-Identifier: Apache-2.0
// CoreProfiler's variables, PROF_*, as options of ours, and the settings by which its logs name
// them (docs/formats/tracelog.md, section 11).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "agent/coreclr/runtime/settings.hpp"

namespace polytrace::agent::coreclr {

// Takes over what the environment says; what an option of ours says stays. True: it says something.
// A value that is none is told in `faults`, and nothing is to be recorded then: Options::off.
bool read_prof_variables(Settings& settings, Faults& faults);

// Names and values of settings under CoreProfiler's names, of what is recorded indeed.
std::vector<std::pair<std::string, std::string>> prof_settings(const Settings& settings);

}  // namespace polytrace::agent::coreclr
