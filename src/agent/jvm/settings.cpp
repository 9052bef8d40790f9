// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/settings.hpp"

namespace polytrace::agent::jvm {

namespace {

// Left out unless a rule of the user names them before.
constexpr std::string_view kRuntime[] = {"java.*", "javax.*", "jdk.*", "sun.*", "com.sun.*"};

bool read_switch(std::string_view name, std::string_view value, Faults& faults) {
  if (value == "yes" || value == "on" || value == "true" || value.empty()) return true;
  if (value != "no" && value != "off" && value != "false")
    faults.push_back(std::string(name) + " is yes or no");
  return false;
}

void read_own(Settings& settings, std::string_view name, std::string_view value, Faults& faults) {
  if (name == "jvm.accessors") {
    settings.accessors = read_switch(name, value, faults);
  } else if (name == "jvm.virtual") {
    settings.virtual_threads = read_switch(name, value, faults);
  } else if (name == "jvm.heapdump") {
    settings.hprof = value == "hprof";
    if (!settings.hprof && value != "native") faults.push_back("jvm.heapdump is native or hprof");
  } else {
    faults.push_back("unknown option " + std::string(name));
  }
}

}  // namespace

Settings read_settings(const char* text, Faults& faults) {
  Settings settings;
  settings.common = parse_options(text == nullptr ? "" : text, faults);
  for (const auto& [name, value] : settings.common.others) read_own(settings, name, value, faults);
  return settings;
}

Plan plan_of(const Settings& settings) {
  Plan plan;
  plan.filters = settings.common.filters;
  for (const std::string_view pattern : kRuntime) plan.filters.add_default(pattern, false);
  plan.min_bytecode = settings.common.min_bytecode;
  plan.calls = settings.common.events.calls;
  plan.sites = settings.common.events.alloc == AllocMode::kSites;
  plan.accessors = settings.accessors;
  return plan;
}

}  // namespace polytrace::agent::jvm
