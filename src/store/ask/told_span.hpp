// SPDX-License-Identifier: Apache-2.0
// From when to when a trace has events, but for those that head it: what parts of its time are
// counted by.
#pragma once

#include <optional>

#include "store/ask/told_calls.hpp"

namespace polytrace::store {

// Nothing where the events have to be looked at for it, and of a trace without any. Errors: those
// of frames.
base::result<std::optional<TimeSpan>> told_span(const IndexFrames& frames);

}  // namespace polytrace::store
