// SPDX-License-Identifier: Apache-2.0
#include "agent/coreclr/settings.hpp"

#include <string_view>

#include "agent/common/switches.hpp"

namespace polytrace::agent::coreclr {
namespace {

Settings g_settings;

// Left out unless a rule of the user names them before.
constexpr std::string_view kRuntime[] = {
    "System.*",  "Microsoft.*", "Internal.*", "Interop",
    "Interop.*", "Internal",    "<dynamic>",  "<PrivateImplementationDetails>*"};

constexpr Switch<Settings> kOwn[] = {
    {"coreclr.stacks", &Settings::stacks,
     "Stacks with allocations and throws. [no, where calls are recorded]"},
    {"coreclr.inlining", &Settings::inlining,
     "Methods may be compiled into their callers: cheaper, but such calls are missed. [no]"},
    {"coreclr.wall-clock", &Settings::wall_clock,
     "Stack samples by wall clock, not by CPU time. [no]"},
};

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
  for (const auto& [name, value] : g_settings.common.others)
    if (!set_switch<Settings>(kOwn, g_settings, name, value, faults))
      faults.push_back("option " + name + "=" + value + " is not understood");
}

std::string own_help() { return help_of<Settings>(kOwn); }

}  // namespace polytrace::agent::coreclr
