// SPDX-License-Identifier: Apache-2.0
// A bundle: the folder with history.bin, types.json, tree.json and, of a snapshot, state.json
// (docs/formats/state-history.md, "Files"). One thread at a time.
#pragma once

#include <string>

#include "history/builder.hpp"
#include "history/history.hpp"
#include "history/state_file.hpp"
#include "history/tree_file.hpp"

namespace polytrace::history {

inline constexpr std::string_view kHistoryFile = "history.bin";
inline constexpr std::string_view kTypesFile = "types.json";
inline constexpr std::string_view kTreeFile = "tree.json";
inline constexpr std::string_view kStateFile = "state.json";

// `folder`/`file`.
std::string file_in(std::string_view folder, std::string_view file);
// As the JSON files write it: 32 hexadecimal digits.
std::string to_text(const HistoryId& id);

// With all above it. Errors: write_failed.
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
// types.json of a folder; nothing where it is missing or cannot be read.
TypesFile load_notes(const std::string& folder);

struct OpenBundleOptions {
  OpenOptions history{};
  bool force = false;  // take JSON files of another history, too
};
// Opens the history of a folder, or the file itself. types.json and tree.json, where they are, must
// be of this history and readable (beyond 1 MiB only their heads are looked at); what they say is
// what history.bin says, so nothing is taken from them. Errors: those of History::open,
// bundle_mismatch, json_malformed.
base::result<History> open_bundle(const std::string& path, const OpenBundleOptions& options = {});

// What types.json and tree.json of the history's folder say other than history.bin: a notice
// bundle_mismatch for each timeline. Errors: those of the files.
base::result<base::Notices> compare_bundle(const History& history, const std::string& folder);

struct SnapshotOptions {
  bool with_intervals = false;  // since when and until when each state holds
  bool replace = false;         // existing files
  std::string bundle{};         // of the history: its types.json and tree.json are kept as they are
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
// Reads a folder with a snapshot; types.json and tree.json may be missing. Errors: open_failed,
// bundle_mismatch, json_malformed and others of the three files.
base::result<Snapshot> load_snapshot(const std::string& folder, base::Notices& notices,
                                     bool force = false);
// Gives the keys of a snapshot their places, types and states in a builder that begins at or before
// its timestamp: each state holds from its start (where told and not before the builder's) on. What
// is earlier, and keys without a state, are absent.
// Errors: those of Builder.
base::result<void> restore(const Snapshot& snapshot, Builder& builder);

}  // namespace polytrace::history
