// SPDX-License-Identifier: Apache-2.0
// What this recording records: the common options and those of this runtime (docs/mono.md). Filled
// before the first callback is installed, not changed afterwards.
#pragma once

#include <cstdint>
#include <string>

#include "agent/common/runtime/settings.hpp"

namespace polytrace::agent::mono {

struct OwnSettings {
  bool stacks = false;                 // with allocations, throws, locks and handles
  bool moves = false;                  // of objects, by the collector
  bool handles = false;                // GC handles
  bool roots = false;                  // with every heap snapshot
  bool finalizers = false;             // rounds and objects
  bool wall_clock = false;             // stack samples by wall clock instead of CPU time
  bool check_stacks = false;           // walk every stack twice and count differences
  std::uint32_t heap_collections = 0;  // a heap snapshot at every so manieth major collection
};
using Settings = agent::Settings<OwnSettings>;

const Settings& settings();
// The same options, while they are still being read.
Options& common_options();
// `text` as in --profile=polytrace:TEXT. What is not understood is told in `faults`.
void read_settings(const char* text, Faults& faults);
// This runtime's own options as text, for people.
std::string own_help();

}  // namespace polytrace::agent::mono
