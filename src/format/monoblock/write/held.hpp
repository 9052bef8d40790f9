// SPDX-License-Identifier: Apache-2.0
// Which events and fields the written variant can hold (held.def).
#pragma once

#include "event/batch.hpp"
#include "event/writer.hpp"

namespace polytrace::format::monoblock {

bool holds_kind(event::Kind kind);
// Counts the fields of an event that are told and have no place.
void count_lost_fields(const event::Batch& batch, const event::Event& event, event::Loss& loss);

}  // namespace polytrace::format::monoblock
