// SPDX-License-Identifier: Apache-2.0
// What to record: the options of every agent, and the JVM's own, whose names begin with "jvm.".
#pragma once

#include <string>

#include "agent/common/options/filters.hpp"
#include "agent/common/runtime/settings.hpp"

namespace polytrace::agent::jvm {

struct OwnSettings {
  bool accessors = false;       // record short methods that neither call nor loop
  bool virtual_threads = true;  // tell virtual threads apart
  bool monitor_owner = false;   // who holds what others wait for
  bool hprof = false;           // dumps by the JDK, beside the output
};
using Settings = agent::Settings<OwnSettings>;

Settings read_settings(const char* text, Faults& faults);
// The JVM's own options as text, for people.
std::string own_help();

// What decides about classes and methods; replaced as a whole.
struct Plan {
  Filters filters;
  std::uint32_t min_bytecode = 0;
  bool calls = true;
  bool sites = false;
  bool accessors = false;
};
Plan plan_of(const Settings& settings);

}  // namespace polytrace::agent::jvm
