// SPDX-License-Identifier: Apache-2.0
// What the runtime calls, by subject in a source file each; callbacks.def tells where they stand.
// Many threads at once, and some of them hold up a collection while they are in here: no lock is
// held across a question to the runtime.
#pragma once

#include "agent/coreclr/runtime/abi.hpp"

namespace polytrace::agent::coreclr {

#define CALLBACK(slot, name, ...) HResult name(__VA_ARGS__);
#include "agent/coreclr/runtime/callbacks.def"
#undef CALLBACK

// Tells the runtime what it shall call, and where calls of methods go. False: it refuses.
bool set_event_mask();
bool set_hooks();

// Of allocations: every one is told by itself, or the runtime's own events tell some of them.
bool tells_objects();
// How far apart the latter are, in bytes.
inline constexpr std::uint64_t kRuntimesInterval = 100 * 1024;
// The runtime's own events are needed, and how they are asked for. False: it refuses.
bool wants_events();
bool start_event_session();
// Asks at once, or when the program's first method is about to run.
bool start_events();
bool events_wait();
void start_waiting_events(RuntimeId function);
// The thread does what only the recording asks for: what it allocates is not the program's.
bool is_own_work();

// The beginning of a recording: program, settings and filters.
void tell_session();
// Takes commands from outside, where control::prepare_server() has found that they are wanted.
void take_commands();

// The threads, modules, classes and methods that are known, in a recording that begins.
void tell_threads();
void tell_loaded();

// A thread of our own that takes stack samples.
void start_samples();
void stop_samples();
// Likewise, CPU times.
void start_cpu_times();
void stop_cpu_times();
// Signals pause and resume, where that is wanted.
void take_signals();

}  // namespace polytrace::agent::coreclr
