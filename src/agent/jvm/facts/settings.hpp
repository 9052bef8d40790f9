// SPDX-License-Identifier: Apache-2.0
// What to record: the options of every agent, and the JVM's own, whose names begin with "jvm.".
#pragma once

#include "agent/common/options/options.hpp"

namespace polytrace::agent::jvm {

struct Settings {
  Options common;
  bool accessors = false;       // record short methods that neither call nor loop
  bool virtual_threads = true;  // tell virtual threads apart
  bool monitor_owner = false;   // who holds what others wait for
  bool hprof = false;           // dumps by the JDK, beside the output
};

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
