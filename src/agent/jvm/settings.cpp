// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/settings.hpp"

namespace polytrace::agent::jvm {

namespace {

// Left out unless a rule of the user names them before.
constexpr std::string_view kRuntime[] = {"java.*", "javax.*", "jdk.*", "sun.*", "com.sun.*"};

// The JVM's own options; each chooses between two words.
struct OwnOption {
  std::string_view name;
  bool Settings::* target;
  std::string_view on;
  std::string_view off;
  std::string_view text;
};
constexpr OwnOption kOwn[] = {
    {"jvm.accessors", &Settings::accessors, "yes", "no",
     "Short methods that neither call nor loop are recorded as well. [no]"},
    {"jvm.virtual", &Settings::virtual_threads, "yes", "no",
     "Virtual threads are told apart, JDK 21 and later. [yes]"},
    {"jvm.monitor-owner", &Settings::monitor_owner, "yes", "no",
     "Of contended monitors, who holds them: stops the program for some 16 us, at most 100 times a "
     "second. [no]"},
    {"jvm.heapdump", &Settings::hprof, "hprof", "native",
     "Heap dumps are files of the JDK's own format beside the output, or in the stream. [native]"},
};

void read_own(Settings& settings, std::string_view name, std::string_view value, Faults& faults) {
  for (const OwnOption& option : kOwn) {
    if (name != option.name) continue;
    settings.*option.target = value == option.on;
    if (value != option.on && value != option.off)
      faults.push_back(std::string(name) + " is " + std::string(option.on) + " or " +
                       std::string(option.off));
    return;
  }
  faults.push_back("unknown option " + std::string(name));
}

}  // namespace

Settings read_settings(const char* text, Faults& faults) {
  Settings settings;
  settings.common = parse_options(text == nullptr ? "" : text, faults);
  for (const auto& [name, value] : settings.common.others) read_own(settings, name, value, faults);
  return settings;
}

std::string own_help() {
  std::string text;
  for (const OwnOption& option : kOwn) {
    ((((text += option.name) += '=') += option.on) += '|') += option.off;
    ((text += "\n    ") += option.text) += '\n';
  }
  return text;
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
