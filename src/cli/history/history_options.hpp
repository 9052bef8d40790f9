// SPDX-License-Identifier: Apache-2.0
// The history that a command reads, and the one that it writes.
#pragma once

#include <string>

#include "cli/frame/session.hpp"
#include "cli/show/tables.hpp"
#include "service/states/history_files.hpp"
#include "service/states/query.hpp"

namespace polytrace::cli {

// DIR, for what rewrites the JSON files in it.
void add_history_folder(OptionList& list, std::string& folder);
// DIR and --mixed.
void add_history(OptionList& list, service::HistorySource& source);
// Faults that were survived go to standard error.
base::result<service::OpenHistory> open_history(const Session& session,
                                                const service::HistorySource& source);

// --path and --key.
void add_keys(OptionList& list, service::KeyOptions& options);

// --format of tables, and --json for one of its forms.
void add_form(OptionList& list, std::string& form);
TableForm form_of(const Session& session, const std::string& form);

struct HistoryOutput {
  std::string folder;
  std::string layout = "segmented";
  bool force = false;

  service::HistoryTarget target() const;
};
// --output and --force; --layout with `layouts`.
void add_history_output(OptionList& list, HistoryOutput& options, bool layouts = true);

// What was written, as JSON where that is wanted; else the notices, which are about the input, on
// standard error. Gives the exit code.
int tell_made(Session& session, const std::string& input, const std::string& folder,
              const service::MadeHistory& made);

}  // namespace polytrace::cli
