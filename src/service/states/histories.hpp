// SPDX-License-Identifier: Apache-2.0
// A history that is asked about: opening it, what is told of it, and whether it is whole.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/table/table.hpp"
#include "base/notices.hpp"
#include "history/bundle.hpp"

namespace polytrace::service {

// "segmented" or "stream".
std::string_view name_of(history::Layout layout);

struct HistorySource {
  std::string path{};  // a folder, a .tar or .zip of one, or its history.bin
  bool mixed = false;  // go on where types.json or tree.json belong to another history
};
// With the files that it is in.
struct OpenHistory {
  HistorySource source;
  history::BundleFiles files;
  history::History history;
};
// Faults that were survived are the history's notices. Errors: it cannot be opened.
base::result<OpenHistory> open_history(const HistorySource& source);

struct CheckedHistory {
  bool whole = false;
  history::Facts facts{};
  base::Notices notices{};
  std::optional<base::Error> error{};  // what ended the check
};
// Tests every checksum, decodes every segment and compares the JSON files beside the history with
// it, unless they are said to be of another one. Errors: it cannot be opened.
base::result<CheckedHistory> check_history(const HistorySource& source);

// {"schema": "polytrace.history/1", ...}; `paths`: with every timeline.
std::string history_json(const std::string& file, const history::History& history, bool paths);
// {"schema": "polytrace.history.check/1", ...}
std::string history_check_json(const std::string& file, const CheckedHistory& checked);
// {"schema": "polytrace.states/1", ...}: answers to queries.
std::string states_json(const std::string& file, const analysis::Table& table);

}  // namespace polytrace::service
