// SPDX-License-Identifier: Apache-2.0
// What one asks of a history: from options, or from a line of a file.
//   at TIME [PATH]            the states that hold then
//   range FROM TO [PATH]      every state that meets the span; FROM after TO asks backwards
//   samples N FROM TO [PATH]  the states at N times, evenly spread from FROM to TO
// Words are separated by blanks; the path is the rest of the line. What follows a # at the
// beginning of a line is for people.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/history/history_input.hpp"
#include "history/history.hpp"

namespace polytrace::cli {

struct Query {
  enum class What : std::uint8_t { at, range, samples };
  What what = What::at;
  history::Tick from = 0;  // the time of `at`
  history::Tick to = 0;
  std::uint64_t samples = 0;
  std::vector<history::Key> keys{};
};

// Of the timelines in `keys` besides that of the path; of all where neither names any. Errors:
// usage, key_unknown.
base::result<Query> parse_query(std::string_view line, const history::History& history,
                                KeyOptions keys = {});

// Errors: those of History.
base::result<void> ask(const history::History& history, const Query& query, history::Visitor visit);

}  // namespace polytrace::cli
