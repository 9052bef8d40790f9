// SPDX-License-Identifier: Apache-2.0
// Collections by the runtime's own events, which alone have their numbers: one in the background
// and others meanwhile begin and end on any thread.
#pragma once

#include "agent/coreclr/runtime/payload.hpp"
#include "base/types.hpp"

namespace polytrace::agent::coreclr {

void note_collection_start(Payload payload);
void note_collection_end(Payload payload);

// The population of the heap, counted while the runtime walks it behind a collection (census.cpp).
// One collection at a time: the runtime does not collect in the background while we count.

// A collection begins; so many are there.
void begin_census(base::Id collection);
// The program is about to run again.
void close_census();
// The program runs again: Census events of what was counted since, each once.
void tell_census();

}  // namespace polytrace::agent::coreclr
