// SPDX-License-Identifier: Apache-2.0
// Histories that are made of other files, mended, and written as other files. A history is written
// to a folder; one that is there stays, unless it may be replaced. One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "history/csv/csv.hpp"
#include "service/input/pass.hpp"
#include "service/states/histories.hpp"

namespace polytrace::service {

struct HistoryTarget {
  std::string folder{};  // made where it is missing
  history::Layout layout = history::Layout::segmented;
  bool replace = false;  // existing files
};
// Refuses what must not be written to. Errors: usage where a file is in the folder's place,
// output_exists where it has a history or a snapshot.
base::result<void> check_target(const HistoryTarget& target);
// Whose fault an error is: the output's where it is about writing.
const std::string& blamed(const base::Error& error, const std::string& input,
                          const std::string& output);

struct MadeHistory {
  history::Facts facts{};
  base::Notices notices{};  // what of the input is not in it, and why
  bool is_whole = true;     // a check of it finds nothing
};

struct ImportQuestion {
  std::string file{};
  // Of rows: what a tick is ("ns", "us", "ms", "s"); when the history ends, if not with the last.
  std::string tick = "ns";
  std::string end{};
  bool mixed = false;  // of a snapshot's folder: as HistorySource::mixed
};
// A history of what other tools write, or of a snapshot.
Asked<MadeHistory> import_history(const ImportQuestion& question, const HistoryTarget& target);
// The same history in the target's layout, with the notes beside it.
Asked<MadeHistory> convert_history(const std::string& path, const HistoryTarget& target);
// Completes what an interrupted build left in this folder, in place, and writes its JSON files
// anew. The notices are of what is lost.
Asked<MadeHistory> repair_history(const std::string& folder);

struct RowsQuestion {
  std::string from{};  // times; empty: all of the history
  std::string to{};
  history::CsvForm form = history::CsvForm::paths;
  std::string output{};  // - is standard output
  bool replace = false;
};
// A history as rows of text. Gives how many timelines without a path were left out.
Asked<std::uint64_t> export_rows(const OpenHistory& opened, const RowsQuestion& question);

struct SnapshotQuestion {
  std::string at{};             // a time
  bool with_intervals = false;  // since when and until when each state holds
};
// The states at one time as JSON, in the target's folder. Its layout does not count.
Asked<void> save_snapshot(const OpenHistory& opened, const SnapshotQuestion& question,
                          const HistoryTarget& target);

// {"schema": "polytrace.history.made/1", ...}
std::string history_made_json(const std::string& folder, const MadeHistory& made);

}  // namespace polytrace::service
