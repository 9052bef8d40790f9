// SPDX-License-Identifier: Apache-2.0
// Generic walks over the catalogue: what canonical text, random test data, comparison and copying
// are made of.
#pragma once

#include "event/batch.hpp"
#include "event/fields.hpp"

namespace polytrace::event {

// Calls function(details) with the event's details, default ones when it has none.
template <class Function>
void with_details(const Batch& batch, const Event& event, Function&& function) {
  with_kind(event.kind,
            [&](auto none) { function(batch.details_or<decltype(none)>(event, none)); });
}

}  // namespace polytrace::event
