// SPDX-License-Identifier: Apache-2.0
#include "agent/coreclr/settings.hpp"

#include <string_view>

namespace polytrace::agent::coreclr {
namespace {

Settings g_settings;

constexpr std::string_view kPrefix = "coreclr.";

// Left out unless a rule of the user names them before.
constexpr std::string_view kRuntime[] = {
    "System.*",  "Microsoft.*", "Internal.*", "Interop",
    "Interop.*", "Internal",    "<dynamic>",  "<PrivateImplementationDetails>*"};

struct Switch {
  std::string_view name;
  bool Settings::* value;
};
constexpr Switch kSwitches[]{
    {"stacks", &Settings::stacks},
    {"inlining", &Settings::inlining},
    {"wall-clock", &Settings::wall_clock},
};

bool is_on(std::string_view value) {
  return value.empty() || value == "true" || value == "yes" || value == "on" || value == "1";
}
bool is_off(std::string_view value) {
  return value == "false" || value == "no" || value == "off" || value == "0";
}

bool set_switch(std::string_view name, std::string_view value) {
  for (const Switch& row : kSwitches) {
    if (row.name != name) continue;
    if (!is_on(value) && !is_off(value)) return false;
    g_settings.*row.value = is_on(value);
    return true;
  }
  return false;
}

// Where calls are recorded, they tell the stack of everything else.
void set_defaults() {
  const EventSet& events = g_settings.common.events;
  g_settings.stacks = !events.calls && g_settings.common.stack_depth != 0;
  for (const std::string_view pattern : kRuntime)
    g_settings.common.filters.add_default(pattern, false);
}

void leave_out(bool& wanted, std::string_view what, Faults& faults) {
  if (wanted) faults.push_back("this runtime does not tell " + std::string(what));
  wanted = false;
}

void leave_out_unknown(Faults& faults) {
  EventSet& events = g_settings.common.events;
  leave_out(events.counters, "counters", faults);
  if (g_settings.common.heap_dump != HeapDump::kAtEnd) return;
  faults.emplace_back("this runtime's heap cannot be dumped");
  g_settings.common.heap_dump = HeapDump::kNever;
}

}  // namespace

const Settings& settings() { return g_settings; }
Options& common_options() { return g_settings.common; }

void read_settings(const char* text, Faults& faults) {
  g_settings.common = parse_options(text, faults);
  set_defaults();
  leave_out_unknown(faults);
  for (const auto& [full_name, value] : g_settings.common.others) {
    std::string_view name = full_name;
    if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
    if (!set_switch(name, value))
      faults.push_back("option " + full_name + "=" + value + " is not understood");
  }
}

}  // namespace polytrace::agent::coreclr
