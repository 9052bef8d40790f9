// SPDX-License-Identifier: Apache-2.0
// The history that a command writes.
#pragma once

#include <string>

#include "service/input/input.hpp"
#include "history/model/facts.hpp"

namespace polytrace::cli {

struct HistoryOutput {
  std::string folder;
  std::string layout = "segmented";
  bool force = false;
};

// --output and --force; --layout with `layouts`.
void add_history_output(OptionList& list, HistoryOutput& options, bool layouts = true);
history::Layout layout_of(const HistoryOutput& options);
// Refuses a folder that has a history or snapshot already, unless --force. Errors: output_exists.
base::result<void> check_output(const HistoryOutput& options);

// Whose fault an error is: the output's when it is about writing.
std::string_view blamed(const base::Error& error, std::string_view input, std::string_view output);

// What was written, as JSON where that is wanted: {"schema", "output", "id", "layout", "timelines",
// "states", "start", "end", "notices"}; else the notices on standard error. Gives the exit code.
struct Made {
  std::string_view input;
  std::string_view folder;
  const history::Facts& facts;
  const base::Notices& notices;
};
int tell_made(Session& session, const Made& made);

struct BuiltStates {
  Passed passed;          // the trace
  base::Notices notices;  // what of it became no state
  history::Facts facts;
};
// Makes a history of a trace's states; with the folder of a snapshot, one that begins with those.
// Errors: usage for a snapshot that is later than the trace's beginning or counts other ticks.
base::result<BuiltStates> build_states(const Session& session, const Input& input,
                                       const HistoryOutput& output,
                                       const std::string& from_snapshot = {});

}  // namespace polytrace::cli
