// SPDX-License-Identifier: Apache-2.0
// Whether two events, each with its batch, say the same. "Not told" compares by meaning: an event
// without details equals one whose details are all default, a stack without places equals one
// whose places tell nothing. Reals compare by their bits. Pure; thread-safe.
#pragma once

#include "event/batch.hpp"

namespace polytrace::test {

bool same_event(const event::Batch& a, const event::Event& event_a, const event::Batch& b,
                const event::Event& event_b);

}  // namespace polytrace::test
