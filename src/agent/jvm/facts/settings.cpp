// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/facts/settings.hpp"

namespace polytrace::agent::jvm {

namespace {

// Left out unless a rule of the user names them before.
constexpr std::string_view kRuntime[] = {"java.*", "javax.*", "jdk.*", "sun.*", "com.sun.*"};

constexpr Switch<OwnSettings> kSwitches[] = {
    {"jvm.accessors", &OwnSettings::accessors,
     "Short methods that neither call nor loop are recorded as well. [no]"},
    {"jvm.virtual", &OwnSettings::virtual_threads,
     "Virtual threads are told apart, JDK 21 and later. [yes]"},
    {"jvm.monitor-owner", &OwnSettings::monitor_owner,
     "Of contended monitors, who holds them: stops the program for some 16 us, at most 100 times a "
     "second. [no]"},
    {"jvm.heapdump", &OwnSettings::hprof,
     "Heap dumps are files of the JDK's own format beside the output, or in the stream. [native]",
     "hprof", "native"},
};
constexpr OwnOptions<OwnSettings> kOwn = {kSwitches};

}  // namespace

Settings read_settings(const char* text, Faults& faults) {
  Settings settings;
  read_common(settings, text == nullptr ? "" : text, faults);
  for (const auto& [name, value] : settings.common.others)
    if (!set_switch<OwnSettings>(kOwn, settings, name, value, faults))
      faults.push_back("unknown option " + name);
  return settings;
}

std::string own_help() { return help_of(kOwn); }

Plan plan_of(const Settings& settings) {
  Plan plan;
  plan.filters = settings.common.filters;
  for (const std::string_view pattern : kRuntime) plan.filters.add_default(pattern, false);
  plan.min_bytecode = settings.common.min_bytecode;
  plan.calls = settings.common.events.calls;
  plan.sites = settings.common.events.alloc == AllocMode::sites;
  plan.accessors = settings.accessors;
  return plan;
}

}  // namespace polytrace::agent::jvm
