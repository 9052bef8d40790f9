// SPDX-License-Identifier: Apache-2.0
#include "agent/coreclr/runtime/settings.hpp"

#include <string_view>

#include "agent/coreclr/runtime/framework.hpp"
#include "agent/coreclr/runtime/prof_variables.hpp"

namespace polytrace::agent::coreclr {
namespace {

Settings g_settings;

// Left out unless a rule of the user names them before: what compilers make, and .NET itself, by
// its names where its folder is not known.
constexpr std::string_view kGenerated[] = {"<dynamic>", "<PrivateImplementationDetails>*"};
constexpr std::string_view kFramework[] = {"System.*", "Microsoft.*", "Internal.*",
                                           "Internal", "Interop",     "Interop.*"};

constexpr Switch<OwnSettings> kSwitches[] = {
    {"coreclr.stacks", &OwnSettings::stacks,
     "Stacks with allocations and throws. [no, where calls are recorded]"},
    {"coreclr.inlining", &OwnSettings::inlining,
     "Methods may be compiled into their callers: cheaper, but such calls are missed. [no]"},
    {"coreclr.wall-clock", &OwnSettings::wall_clock,
     "Stack samples by wall clock, not by CPU time. [no]"},
    {"coreclr.line-trace", &OwnSettings::line_trace,
     "Frames of stacks have their instruction pointers, which lead to places in the code. [no]"},
    {"coreclr.census", &OwnSettings::census,
     "Objects and bytes of each class after each collection. Collections take longer, and none "
     "runs in the background. [no]"},
    {"coreclr.handles", &OwnSettings::handles, "GC handles, made and freed. [no]"},
    {"coreclr.finalizers", &OwnSettings::finalizers,
     "Rounds of finalization, and each object of them. [no]"},
    {"coreclr.children", &OwnSettings::children,
     "Programs that this one starts are recorded, too: file= then needs %p. [no]"},
    {"coreclr.signals", &OwnSettings::signals,
     "SIGRTMIN+7 pauses the recording, SIGRTMIN+8 resumes it. [no, but yes with format=tracelog]"},
    {"coreclr.cpu-process", &OwnSettings::cpu_process,
     "CPU time of the process, every coreclr.cpu-interval. [no; yes where cpu= is given]"},
    {"coreclr.cpu-threads", &OwnSettings::cpu_threads,
     "CPU time of each thread every coreclr.cpu-interval, whatever cpu= says. [no]"},
};

// coreclr.cpu-interval, the only time.
bool set_interval(OwnSettings& own, std::string_view name, std::string_view value) {
  constexpr std::uint64_t kLeast = 1'000'000;
  return name == "coreclr.cpu-interval" && parse_duration(value, own.cpu_interval) &&
         own.cpu_interval >= kLeast;
}

constexpr OwnOptions<OwnSettings> kOwn = {
    kSwitches, set_interval,
    "coreclr.cpu-interval=TIME\n"
    "    Between two records of CPU time, at least 1ms. [10ms]\n"
    "PROF_* in the environment: CoreProfiler's variables are understood.\n"};

// Where calls are recorded, they tell the stack of everything else.
void set_defaults() {
  const EventSet& events = g_settings.common.events;
  g_settings.stacks = !events.calls && g_settings.common.stack_depth != 0;
  g_settings.signals = g_settings.common.format.starts_with("tracelog");
  g_settings.cpu_process = g_settings.common.cpu != kAuto && g_settings.common.cpu != 0;
  Filters& filters = g_settings.common.filters;
  for (const std::string_view pattern : kGenerated) filters.add_default(pattern, false);
  if (!framework_folder().empty()) return;
  for (const std::string_view pattern : kFramework) filters.add_default(pattern, false);
}

void leave_out(bool& wanted, std::string_view what, Faults& faults) {
  if (wanted) faults.push_back("this runtime does not tell " + std::string(what));
  wanted = false;
}

void leave_out_unknown(Faults& faults) {
  EventSet& events = g_settings.common.events;
  leave_out(events.counters, "counters", faults);
  if (g_settings.common.heap_dump != HeapDump::at_end) return;
  faults.emplace_back("this runtime's heap can be dumped by command only");
  g_settings.common.heap_dump = HeapDump::on_command;
}

}  // namespace

const Settings& settings() { return g_settings; }
Options& common_options() { return g_settings.common; }

void read_settings(const char* text, Faults& faults) {
  read_common(g_settings, text, faults);
  set_defaults();
  read_prof_variables(g_settings, faults);
  leave_out_unknown(faults);
  set_own(kOwn, g_settings, faults);
  if (g_settings.cpu_threads) g_settings.common.cpu = g_settings.cpu_interval;
}

std::string own_help() { return help_of(kOwn); }

}  // namespace polytrace::agent::coreclr
