// SPDX-License-Identifier: Apache-2.0
// A value in JSON: its spelling depends on the type of its timeline
// (docs/formats/state-history.md, "state.json"). Inside the room only, as json_document.hpp is.
#pragma once

#include "base/text/json_writer.hpp"
#include "history/files/json_document.hpp"
#include "history/model/texts.hpp"

namespace polytrace::history {

// From the members "value" and "type" of a state on a timeline of type `timeline` (open: opaque).
// Errors: type_conflict, value_unexpected, number_too_long.
base::result<Value> read_value(const std::optional<JsonElement>& value,
                               const std::optional<JsonElement>& type, Type timeline, Texts& texts);

// Writes those members. REQUIRES: directly inside an object.
void write_value(base::JsonWriter& json, const Value& value, Type timeline);

}  // namespace polytrace::history
