// SPDX-License-Identifier: Apache-2.0
#include "agent/mono/runtime/settings.hpp"

#include <charconv>
#include <string_view>

#include "agent/common/options/switches.hpp"

namespace polytrace::agent::mono {
namespace {

Settings g_settings;

constexpr Switch<Settings> kOwn[] = {
    {"mono.stacks", &Settings::stacks,
     "Stacks with allocations, throws, locks and handles. [no, where calls are recorded]"},
    {"mono.moves", &Settings::moves,
     "Objects that the collector moves. [yes, where allocations are recorded]"},
    {"mono.handles", &Settings::handles, "GC handles, made and freed. [no]"},
    {"mono.roots", &Settings::roots,
     "Regions of roots, and the roots in each snapshot of the heap. [no]"},
    {"mono.finalizers", &Settings::finalizers,
     "Rounds of finalization, and each object of them. [no]"},
    {"mono.wall-clock", &Settings::wall_clock,
     "Stack samples by wall clock, not by CPU time. [no]"},
    {"mono.check-stacks", &Settings::check_stacks,
     "Walks every stack twice and says how often both walks differ. [no]"},
};

// mono.heap-collections, the only number.
bool set_number(std::string_view name, std::string_view value) {
  if (name != "mono.heap-collections") return false;
  const auto [stop, fault] =
      std::from_chars(value.data(), value.data() + value.size(), g_settings.heap_collections);
  return fault == std::errc{} && stop == value.data() + value.size();
}

// Where calls are recorded, they tell the stack of everything else.
void set_defaults() {
  const EventSet& events = g_settings.common.events;
  g_settings.stacks = !events.calls && g_settings.common.stack_depth != 0;
  g_settings.moves = events.alloc != AllocMode::kNone;
}

}  // namespace

const Settings& settings() { return g_settings; }
Options& common_options() { return g_settings.common; }

void read_settings(const char* text, Faults& faults) {
  g_settings.common = parse_options(text, faults);
  set_defaults();
  for (const auto& [name, value] : g_settings.common.others)
    if (!set_switch<Settings>(kOwn, g_settings, name, value, faults) && !set_number(name, value))
      faults.push_back("option " + name + "=" + value + " is not understood");
}

std::string own_help() {
  return help_of<Settings>(kOwn) +
         "mono.heap-collections=N\n"
         "    A snapshot of the heap at every Nth major collection. [0]\n";
}

}  // namespace polytrace::agent::mono
