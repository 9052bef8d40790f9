// SPDX-License-Identifier: Apache-2.0
// A history as rows of text (docs/formats/state-history-interchange.md, "CSV").
#pragma once

#include "base/io/sink.hpp"
#include "history/csv/csv.hpp"
#include "history/history.hpp"

namespace polytrace::history {

struct ExportOptions {
  CsvForm form = CsvForm::paths;
  Tick from = 0;  // only what meets from .. to; both within the history
  Tick to = 0;
};

// Writes the rows, key after key, each in order of time; of `changes` all in order of time.
// Keys without a place in the tree have no path: in the other forms they are left out, and counted
// in what it gives. The sink is not committed. Errors: those of queries and of the sink.
base::result<std::uint64_t> export_rows(const History& history, base::Sink& sink,
                                        const ExportOptions& options);

}  // namespace polytrace::history
