// SPDX-License-Identifier: Apache-2.0
// CPU time of threads. The writer thread reads their clocks every Options::cpu, of many threads
// some in turn, and records an event of each that used some, or uses none any more. A thread that
// ends records its last event by itself. Each thread's events add up to what it used since it was
// first watched.
#pragma once

#include "agent/common/record/recorder.hpp"

namespace polytrace::agent {

struct Session;

// The calling thread is watched from here on, until end_cpu(): nothing where the recording wants no
// CPU time, or watches it already. With Patience::never it may stay unwatched until the next call.
void watch_cpu(const Session& session, Patience patience);

// In a child after fork().
void forget_cpu();

}  // namespace polytrace::agent
