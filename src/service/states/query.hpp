// SPDX-License-Identifier: Apache-2.0
// What one asks of a history: from options, or from a line of a file.
//   at TIME [PATH]            the states that hold then
//   range FROM TO [PATH]      every state that meets the span; FROM after TO asks backwards
//   samples N FROM TO [PATH]  the states at N times, evenly spread from FROM to TO
// Words are separated by blanks; the path is the rest of the line. What follows a # at the
// beginning of a line is for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/table/table.hpp"
#include "base/notices.hpp"
#include "base/result.hpp"
#include "history/history.hpp"

namespace polytrace::service {

// Its path with a leading '/', or "key N" where it has none.
std::string path_text(const history::History& history, history::Key key);

// Every form of times.hpp; plain numbers are ticks. Errors are usage.
base::result<history::Tick> tick_of(const std::string& text, const history::Facts& facts,
                                    history::Tick from);

// Timelines by their places, with * and ** for parts of them, and by their numbers.
struct KeyOptions {
  std::vector<std::string> paths{};
  std::vector<history::Key> keys{};
};
// What was chosen, in the order of the history; all keys where nothing was. Errors: key_unknown.
base::result<std::vector<history::Key>> choose_keys(const history::History& history,
                                                    const KeyOptions& options);

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

// One query in options (`at`, or `from` and `to`), or a file of them.
struct HistoryQuestion {
  std::string at{};
  std::string from{};
  std::string to{};
  std::uint64_t samples = 0;      // from .. to only at so many times; 0: all of it
  std::string batch{};            // a file, a query a line; - is standard input
  KeyOptions keys{};              // of the one query
  std::uint64_t limit = 100'000;  // rows; 0 = all
};
struct HistoryAnswer {
  analysis::Table states{};             // of a file with the number of the line, from 1 on
  std::vector<base::Notice> notices{};  // of the file
  std::vector<base::Error> refused{};   // lines of it that cannot be answered; the others are
};
// Errors: those of parse_query and ask; of a file, that it cannot be read.
base::result<HistoryAnswer> ask_history(const history::History& history,
                                        const HistoryQuestion& question);

}  // namespace polytrace::service
