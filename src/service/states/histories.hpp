// SPDX-License-Identifier: Apache-2.0
// What is told of histories, and whether one is whole.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/table/table.hpp"
#include "base/notices.hpp"
#include "history/history.hpp"

namespace polytrace::service {

// "segmented" or "stream".
std::string_view name_of(history::Layout layout);

struct CheckedHistory {
  bool whole = false;
  history::Facts facts{};
  base::Notices notices{};
  std::optional<base::Error> error{};  // what ended the check
};
// Tests every checksum, decodes every segment and compares the JSON files beside the history with
// it, unless they are said to be of another one (`mixed`). Errors: it cannot be opened.
base::result<CheckedHistory> check_history(const std::string& path, bool mixed);

// {"schema": "polytrace.history/1", ...}; `paths`: with every timeline.
std::string history_json(const std::string& file, const history::History& history, bool paths);
// {"schema": "polytrace.history.check/1", ...}
std::string history_check_json(const std::string& file, const CheckedHistory& checked);
// {"schema": "polytrace.history.made/1", ...}
std::string history_made_json(const std::string& folder, const history::Facts& facts,
                              const base::Notices& notices);
// {"schema": "polytrace.states/1", ...}: answers to queries.
std::string states_json(const std::string& file, const analysis::Table& table);

}  // namespace polytrace::service
