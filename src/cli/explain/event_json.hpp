// SPDX-License-Identifier: Apache-2.0
// One event as one JSON object: "time", "thread", "kind", what the kind is about under its own name
// ("method", "object" ...; nothing where the kind has no subject), then the fields that are told.
// Ids and addresses are hexadecimal text.
#pragma once

#include "base/text/json_writer.hpp"
#include "event/batch.hpp"

namespace polytrace::cli {

void write_event(base::JsonWriter& json, const event::Batch& batch, const event::Event& event);

}  // namespace polytrace::cli
