// SPDX-License-Identifier: Apache-2.0
// The history that a command reads.
#pragma once

#include <string>

#include "cli/frame/session.hpp"
#include "history/bundle.hpp"
#include "service/states/query.hpp"

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

// --path and --key.
void add_keys(OptionList& list, service::KeyOptions& options);

}  // namespace polytrace::cli
