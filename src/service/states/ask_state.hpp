// SPDX-License-Identifier: Apache-2.0
// What everything in a trace was doing at one moment (`state`), from a history of its states, which
// is made for it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "service/input/pass.hpp"
#include "service/states/query.hpp"
#include "service/states/state_tree.hpp"

namespace polytrace::service {

struct StatesTarget {
  std::string folder{};
  history::Layout layout = history::Layout::segmented;
  bool replace = false;  // existing files
};
struct BuiltStates {
  Passed passed{};          // the trace
  base::Notices notices{};  // what of it became no state
  history::Facts facts{};
};
// Makes a history of a trace's states; with the folder of a snapshot, one that begins with those.
// Nothing is made of a pass that keeps_old(). Errors: usage for a snapshot that is later than the
// trace's beginning or counts other ticks.
base::result<BuiltStates> build_states(const Input& input, const StatesTarget& target,
                                       const std::string& from_snapshot = {});

struct StateQuestion {
  std::string at{};  // a time, as times.hpp has them
  KeyOptions keys{};
  std::string cache_home{};  // the user's folder of caches; empty: there is none
  bool keep = true;          // the history that is made for the answer
};

// The states at a moment, and the history that they are of.
struct Moment {
  std::shared_ptr<const history::History> history;
  history::Tick at;
  StateTree states;
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
