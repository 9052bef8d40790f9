// SPDX-License-Identifier: Apache-2.0
// What everything in a trace was doing at one moment (`state`), from a history of its states, which
// is made for it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "service/states/history_files.hpp"
#include "service/states/query.hpp"
#include "service/states/state_tree.hpp"

namespace polytrace::service {

struct BuiltStates {
  Reading reading{};     // the trace
  bool written = false;  // not, where a part would take the place of a whole history
  MadeHistory made{};    // its notices: what of the trace became no state
};
// Makes a history of a trace's states; with the folder of a snapshot, one that begins with those.
// Errors: usage for a snapshot that is later than the trace's beginning or counts other ticks.
Asked<BuiltStates> build_states(const Input& input, const HistoryTarget& target,
                                const std::string& from_snapshot = {});

struct StateQuestion {
  std::string at{};  // a time, as times.hpp has them
  KeyOptions keys{};
  bool ended = false;   // of all states, those of threads that have ended, too
  std::string cache{};  // store::cache_root(); empty: there is none
  bool keep = true;     // the history that is made for the answer
};

// The states at a moment, and the history that they are of.
struct Moment {
  std::shared_ptr<const history::History> history;
  history::Tick at;
  StateTree states;
  std::uint64_t ended_left_out = 0;  // threads that have ended, and are not among the states
};

struct StateAnswer {
  std::string trouble{};               // why no history is kept although it should be
  std::optional<BuiltStates> built{};  // absent: a kept one answered, or none could be made
  Asked<Moment> moment;
};
StateAnswer ask_state(const Input& input, const StateQuestion& question);

// {"schema": "polytrace.state/1", ...}; `nulls`: states without a value, too.
std::string state_json(const std::string& file, const Moment& moment, bool nulls);

}  // namespace polytrace::service
