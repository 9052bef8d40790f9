// SPDX-License-Identifier: Apache-2.0
// Copies an event with everything it says from one batch to another: the way to keep events beyond
// the life of the batch that brought them.
#pragma once

#include "event/batch.hpp"

namespace polytrace::event {

// Appends the event to `into` and says how many bytes it takes there.
// REQUIRES: room for its thread in `into` (Batch::kMaxThreads); the batches differ.
std::size_t copy_event(const Batch& from, const Event& event, Batch& into);

}  // namespace polytrace::event
