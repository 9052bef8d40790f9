// SPDX-License-Identifier: Apache-2.0
// What the module hangs into the runtime, by subject; one source file each. All of it is installed
// once, at load, before the runtime starts: what is not wanted is not installed, and costs nothing.
#pragma once

#include "agent/mono/runtime/runtime.hpp"

namespace polytrace::agent::mono {

void install_calls(MonoProfilerHandle runtime);
void install_loading(MonoProfilerHandle runtime);
void install_threads(MonoProfilerHandle runtime);
void install_code(MonoProfilerHandle runtime);
void install_memory(MonoProfilerHandle runtime);
void install_collections(MonoProfilerHandle runtime);
void install_faults(MonoProfilerHandle runtime);
void install_samples(MonoProfilerHandle runtime);

// The beginning of a recording: program, settings and filters.
void tell_session();
// Takes commands from outside, where control::prepare_server() has found that they are wanted.
void take_commands();

// Counters of the runtime, once a second, from a thread of our own.
void start_counters();
void stop_counters();

// The threads that live, in a recording that begins.
void tell_threads();

// Collects, or tells all classes, at the next moment at which the finalizer's thread comes by.
void ask_for_collection();
void ask_for_classes();

// A snapshot of the heap: soon, from any thread; or on a thread of the runtime, at once.
void ask_for_heap();
void do_what_was_asked();
void take_heap();
// Snapshots taken so far.
std::uint64_t heaps_taken();

// Before the end of the recording, on a thread of the runtime.
void tell_native_symbols();
void tell_missed_samples();

}  // namespace polytrace::agent::mono
