// SPDX-License-Identifier: Apache-2.0
// The history that a command reads: opening it, times and keys as people type them.
#pragma once

#include <string>
#include <vector>

#include "cli/frame/session.hpp"
#include "history/bundle.hpp"

namespace polytrace::cli {

struct HistoryOptions {
  std::string path;
  bool mixed = false;
};

// DIR, for what rewrites the JSON files in it.
void add_history_folder(OptionList& list, std::string& folder);
// DIR and --mixed.
void add_history(OptionList& list, HistoryOptions& options);
// Faults that were survived go to standard error.
base::result<history::History> open_history(const Session& session, const HistoryOptions& options);
base::result<history::History> open_history(const Session& session, const HistoryOptions& options,
                                            const history::BundleFiles& files);

// Its path with a leading '/', or "key N" where it has none.
std::string path_text(const history::History& history, history::Key key);

// Every form of times.hpp; plain numbers are ticks. Errors are usage.
base::result<history::Tick> tick_of(const std::string& text, const history::Facts& facts,
                                    history::Tick from);

struct KeyOptions {
  std::vector<std::string> paths;
  std::vector<history::Key> keys;
};
// --path and --key.
void add_keys(OptionList& list, KeyOptions& options);
// What was chosen, in the order of the history; all keys where nothing was. Errors: key_unknown.
base::result<std::vector<history::Key>> choose_keys(const history::History& history,
                                                    const KeyOptions& options);

}  // namespace polytrace::cli
