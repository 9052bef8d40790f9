// SPDX-License-Identifier: Apache-2.0
// The history that a command writes.
#pragma once

#include <string>

#include "cli/frame/session.hpp"
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

// What was written, as JSON where that is wanted; else the notices on standard error. Gives the
// exit code.
struct Made {
  std::string_view input;
  std::string_view folder;
  const history::Facts& facts;
  const base::Notices& notices;
};
int tell_made(Session& session, const Made& made);

}  // namespace polytrace::cli
