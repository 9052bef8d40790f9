// SPDX-License-Identifier: Apache-2.0
// Reads a snapshot that Trace Compass keeps of a trimmed trace, `<id>.snapshot.json`
// (docs/formats/state-history-interchange.md, "Snapshot"). Pure function.
#pragma once

#include "history/files/state_file.hpp"
#include "history/model/tree.hpp"

namespace polytrace::history {

struct TcSnapshot {
  std::string name{};           // "ssid": of the state system it was taken from
  Tree tree{};                  // the key of an attribute is one more than its "quark"
  TypesFile types{};            // open for a timeline whose only value is null
  StateFile states{};           // `timestamp` is the first tick of the window
  std::optional<Tick> first{};  // the window the snapshot was taken for
  std::optional<Tick> last{};
};

// An end of -2^63 means that the window clips the state: it becomes no end. Errors:
// json_malformed, version_unsupported, limit_exceeded. Notices, each costing one attribute's
// state: value_unexpected, number_too_long, type_conflict; and those of mend_json.
base::result<TcSnapshot> parse_tc_snapshot(std::string_view text, base::Notices& notices);

}  // namespace polytrace::history
