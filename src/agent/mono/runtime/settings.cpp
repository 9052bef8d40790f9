// SPDX-License-Identifier: Apache-2.0
#include "agent/mono/runtime/settings.hpp"

#include <charconv>
#include <string_view>

namespace polytrace::agent::mono {
namespace {

Settings g_settings;

constexpr Switch<OwnSettings> kSwitches[] = {
    {"mono.stacks", &OwnSettings::stacks,
     "Stacks with allocations, throws, locks and handles. [no, where calls are recorded]"},
    {"mono.moves", &OwnSettings::moves,
     "Objects that the collector moves. [yes, where allocations are recorded]"},
    {"mono.handles", &OwnSettings::handles, "GC handles, made and freed. [no]"},
    {"mono.roots", &OwnSettings::roots,
     "Regions of roots, and the roots in each snapshot of the heap. [no]"},
    {"mono.finalizers", &OwnSettings::finalizers,
     "Rounds of finalization, and each object of them. [no]"},
    {"mono.wall-clock", &OwnSettings::wall_clock,
     "Stack samples by wall clock, not by CPU time. [no]"},
    {"mono.check-stacks", &OwnSettings::check_stacks,
     "Walks every stack twice and says how often both walks differ. [no]"},
};

// mono.heap-collections, the only number.
bool set_number(OwnSettings& own, std::string_view name, std::string_view value) {
  if (name != "mono.heap-collections") return false;
  const auto [stop, fault] =
      std::from_chars(value.data(), value.data() + value.size(), own.heap_collections);
  return fault == std::errc{} && stop == value.data() + value.size();
}

constexpr OwnOptions<OwnSettings> kOwn = {
    kSwitches, set_number,
    "mono.heap-collections=N\n"
    "    A snapshot of the heap at every Nth major collection. [0]\n"};

// Where calls are recorded, they tell the stack of everything else.
void set_defaults() {
  const EventSet& events = g_settings.common.events;
  g_settings.stacks = !events.calls && g_settings.common.stack_depth != 0;
  g_settings.moves = events.alloc != AllocMode::none;
}

}  // namespace

const Settings& settings() { return g_settings; }
Options& common_options() { return g_settings.common; }

void read_settings(const char* text, Faults& faults) {
  read_common(g_settings, text, faults);
  set_defaults();
  set_own(kOwn, g_settings, faults);
}

std::string own_help() { return help_of(kOwn); }

}  // namespace polytrace::agent::mono
