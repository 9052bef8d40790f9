// SPDX-License-Identifier: Apache-2.0
// What the module hangs into the runtime, by subject; one source file each. All of it is installed
// once, at load, before the runtime starts: what is not wanted is not installed, and costs nothing.
#pragma once

#include "agent/mono/runtime.hpp"

namespace polytrace::agent::mono {

void install_calls(MonoProfilerHandle runtime);
void install_loading(MonoProfilerHandle runtime);
void install_threads(MonoProfilerHandle runtime);
void install_code(MonoProfilerHandle runtime);
void install_memory(MonoProfilerHandle runtime);
void install_collections(MonoProfilerHandle runtime);
void install_faults(MonoProfilerHandle runtime);
void install_samples(MonoProfilerHandle runtime);

// Counters of the runtime, once a second, from a thread of our own.
void start_counters();
void stop_counters();

// A snapshot of the heap: soon, from any thread; on a thread of the runtime, the one that was asked
// for, if any; or one at once.
void ask_for_heap();
void take_asked_heap();
void take_heap();

// Before the end of the recording, on a thread of the runtime.
void tell_native_symbols();
void tell_missed_samples();

}  // namespace polytrace::agent::mono
