// SPDX-License-Identifier: Apache-2.0
// Canonical text: one line per event, readable, and exact in both directions.
//   3845198506587 0x7ffae9dfd6c0 enter method=0x559474232e08
// docs/reference/canonical-text.md has the grammar. Pure functions; thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "event/batch.hpp"

namespace polytrace::event {

// Appends the event's line, without a line end.
void append_text(std::string& out, const Batch& batch, const Event& event);
std::string to_text(const Batch& batch, const Event& event);

// Appends the event that `line` (without line end) tells to `batch`. On failure the batch has no
// new event; the error is text_syntax with line 1 and the column of the fault (in bytes, 1-based).
base::result<void> parse_text(std::string_view line, Batch& batch);

}  // namespace polytrace::event
