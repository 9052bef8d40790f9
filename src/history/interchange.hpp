// SPDX-License-Identifier: Apache-2.0
// Bundles from what other tools write, and a history as rows of text
// (docs/formats/state-history-interchange.md). One thread at a time; memory does not grow with the
// input but for keys, tree and texts.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/io/sink.hpp"
#include "base/io/source.hpp"
#include "base/notices.hpp"
#include "history/bundle.hpp"
#include "history/csv/csv.hpp"
#include "history/history.hpp"

namespace polytrace::history {

struct ImportOptions {
  Layout layout = Layout::segmented;
  bool replace = false;
  bool mixed = false;  // of a snapshot's folder: take JSON files of another history, too
  // Of rows: what a tick is (a power of ten), and a tick that the history lasts to at least.
  std::uint64_t ticks_per_second = 1'000'000'000;
  std::optional<Tick> end{};
  base::Limits limits{};
};

struct Imported {
  Facts facts{};
  base::Notices notices{};  // what was left out, and why
};

// Makes a bundle in `folder` of a history tree (.ht), a snapshot (.snapshot.json, or the folder of
// one) or rows (CSV), in any order; the first bytes tell which. Nothing is written before all of it
// was read. Errors: those of the readers and of Builder; row_malformed when no row is sound.
base::result<Imported> import_bundle(const std::string& path, const std::string& folder,
                                     const ImportOptions& options = {});

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
