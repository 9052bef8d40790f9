// SPDX-License-Identifier: Apache-2.0
// Collections by the runtime's own events, which alone have their numbers: one in the background
// and others meanwhile begin and end on any thread.
#pragma once

#include "agent/coreclr/runtime/payload.hpp"

namespace polytrace::agent::coreclr {

void note_collection_start(Payload payload);
void note_collection_end(Payload payload);

}  // namespace polytrace::agent::coreclr
