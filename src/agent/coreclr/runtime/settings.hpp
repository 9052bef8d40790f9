// SPDX-License-Identifier: Apache-2.0
// What this recording records: the common options and those of this runtime (docs/coreclr.md). Set
// before the first callback comes, not changed afterwards.
#pragma once

#include <cstdint>
#include <string>

#include "agent/common/runtime/settings.hpp"

namespace polytrace::agent::coreclr {

struct OwnSettings {
  bool stacks = false;      // with allocations and throws
  bool inlining = false;    // recorded methods may be inlined, and their calls be missed
  bool wall_clock = false;  // samples of threads that wait, too
  bool line_trace = false;  // frames have their instruction pointers
  bool census = false;      // the population of the heap after each collection
  bool handles = false;
  bool finalizers = false;
  bool children = false;                    // programs that this one starts are recorded, too
  bool signals = false;                     // SIGRTMIN+7 pauses, SIGRTMIN+8 resumes
  bool cpu_process = false;                 // CPU time of the process, every cpu_interval
  bool cpu_threads = false;                 // of each thread, likewise, instead of Options::cpu
  std::uint64_t cpu_interval = 10'000'000;  // nanoseconds
};
using Settings = agent::Settings<OwnSettings>;

const Settings& settings();
// The same options, while they are still being read.
Options& common_options();
// REQUIRES: hold_runtime(). `text` is the value of POLYTRACE_OPTIONS; the environment's PROF_* are
// read, too. What is not understood, and what this runtime cannot tell, is told in `faults`.
void read_settings(const char* text, Faults& faults);
// This runtime's own options as text, for people.
std::string own_help();

}  // namespace polytrace::agent::coreclr
