// SPDX-License-Identifier: Apache-2.0
// A bundle: history.bin, types.json, tree.json and, of a snapshot, state.json
// (docs/formats/state-history.md, "Files"). One thread at a time.
#pragma once

#include <string>

#include "history/builder.hpp"
#include "history/files/bundle_files.hpp"
#include "history/files/state_file.hpp"
#include "history/files/tree_file.hpp"
#include "history/history.hpp"

namespace polytrace::history {

// As the JSON files write it: 32 hexadecimal digits.
std::string to_text(const HistoryId& id);

// With all above it. Errors: usage where a file is in its place, write_failed.
base::result<void> make_folder(const std::string& folder);
// Makes the folder, and a builder of the history.bin in it. Errors: write_failed, those of
// Builder::create.
base::result<Builder> create_bundle(const std::string& folder, const BuildOptions& options);
// Writes types.json and tree.json of a builder that was closed, replacing older ones. Units and
// descriptions are those of `notes`. Errors: write_failed, limit_exceeded (a tree too deep for
// tree.json).
base::result<void> complete_bundle(const Builder& builder, const std::string& folder,
                                   const TypesFile& notes = {});
// The same for a folder whose history.bin was written or changed by itself: opens it, whatever the
// JSON files there say. Errors: those of History::open and complete_bundle.
base::result<History> renew_bundle(const std::string& folder, const TypesFile& notes = {});
// types.json of a bundle; nothing where it is missing or cannot be read.
TypesFile load_notes(const BundleFiles& files);

struct OpenBundleOptions {
  OpenOptions history{};
  bool force = false;  // take JSON files of another history, too
};
// Opens the history of a bundle. types.json and tree.json, where they are, must be of this history
// and readable (beyond 1 MiB only their heads are looked at); what they say is what history.bin
// says, so nothing is taken from them. Its notices begin with those of `files`. Errors: those of
// History::open, bundle_mismatch, json_malformed; archive_unusable where damage to the archive is
// why nothing can be read.
base::result<History> open_bundle(const BundleFiles& files, const OpenBundleOptions& options = {});

// What types.json and tree.json of the history's bundle say other than history.bin: a notice
// bundle_mismatch for each timeline. Errors: those of the files.
base::result<base::Notices> compare_bundle(const History& history, const BundleFiles& files);

struct SnapshotOptions {
  bool with_intervals = false;          // since when and until when each state holds
  bool replace = false;                 // existing files
  const BundleFiles* bundle = nullptr;  // of the history: its JSON files are kept as they are
};
// Writes types.json, tree.json and state.json: the states at `t`. Errors: those of History::full,
// write_failed, output_exists, limit_exceeded.
base::result<void> save_snapshot(const History& history, Tick t, const std::string& folder,
                                 const SnapshotOptions& options);

struct Snapshot {
  TypesFile types{};
  Tree tree{};  // the root alone when there is no tree.json
  StateFile states{};
};
// Reads a bundle with a snapshot; types.json and tree.json may be missing. Errors: open_failed,
// bundle_mismatch, json_malformed and others of the three files.
base::result<Snapshot> load_snapshot(const BundleFiles& files, base::Notices& notices,
                                     bool force = false);
// Gives the keys of a snapshot their places, types and states in a builder that begins at or before
// its timestamp: each state holds from its start (where told and not before the builder's) on. What
// is earlier, and keys without a state, are absent.
// Errors: those of Builder.
base::result<void> restore(const Snapshot& snapshot, Builder& builder);

}  // namespace polytrace::history
