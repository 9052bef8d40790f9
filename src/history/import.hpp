// SPDX-License-Identifier: Apache-2.0
// Bundles from what other tools write (docs/formats/state-history-interchange.md). One thread at a
// time; memory does not grow with the input but for keys, tree and texts.
#pragma once

#include <memory>
#include <string>

#include "base/notices.hpp"
#include "base/source.hpp"
#include "history/bundle.hpp"

namespace polytrace::history {

struct ImportOptions {
  Layout layout = Layout::segmented;
  bool replace = false;
  std::uint64_t reorder_window = 0;  // of changes: how many ticks they may come late
  base::Limits limits{};
};

struct Imported {
  Facts facts{};
  base::Notices notices{};  // what was left out, and why
};

// Makes a bundle in `folder` of a history tree (.ht), a snapshot (.snapshot.json, or the folder of
// one) or rows (CSV); the first bytes tell which. Errors: those of the readers and of Builder;
// not_recognised.
base::result<Imported> import_bundle(const std::string& path, const std::string& folder,
                                     const ImportOptions& options = {});

}  // namespace polytrace::history
