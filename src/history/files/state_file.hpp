// SPDX-License-Identifier: Apache-2.0
// state.json: the states of all timelines at one time (docs/formats/state-history.md,
// "state.json"). What a value means depends on types.json. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/notices.hpp"
#include "history/files/types_file.hpp"
#include "history/model/texts.hpp"

namespace polytrace::history {

struct StateAt {
  Key key = kNoKey;
  Value value = Value::null();
  // Since when and until when it holds, both inclusive, where told.
  std::optional<Tick> start{};
  std::optional<Tick> end{};
};

struct StateFile {
  std::string history_id{};         // as in types.json
  std::optional<Tick> timestamp{};  // nothing only in the bare forms
  std::uint64_t ticks_per_second = 1'000'000'000;
  std::optional<std::int64_t> clock_offset{};  // nanoseconds to add for time since the Unix epoch
  std::vector<StateAt> states{};  // ascending by key, each key once; absent keys have no interval
  Texts texts{};                  // what the values are views of
};

// Takes the file of any minor version, and its bare forms: the array of objects alone, or the
// objects alone. A state without "value" exists when its type is none, else it is null.
// Errors: json_malformed (a key twice, too), version_unsupported, limit_exceeded. Notices, each
// costing one state: type_conflict (a value of another type than the timeline's), value_unexpected
// (no base64, an opaque type), number_too_long; and those of mend_json
// (history/files/json_mend.hpp).
base::result<StateFile> parse_state(std::string_view text, const TypesFile& types,
                                    base::Notices& notices);

// Values carry their type where `types` says any and JSON cannot tell it. The bits of a
// not-a-number are not kept. Text that is not UTF-8 is repaired. REQUIRES: a timestamp.
std::string to_json(const StateFile& file, const TypesFile& types);

}  // namespace polytrace::history
