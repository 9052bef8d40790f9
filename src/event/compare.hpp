// SPDX-License-Identifier: Apache-2.0
// Whether two events, each with its batch, say the same. "Not told" compares by meaning: an event
// without details equals one whose details are all default, a stack without places equals one
// whose places tell nothing. Reals compare by their bits. Pure; thread-safe.
#pragma once

#include "event/batch.hpp"

namespace polytrace::event {

bool same_event(const Batch& a, const Event& event_a, const Batch& b, const Event& event_b);

}  // namespace polytrace::event
