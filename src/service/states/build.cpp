// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/states/states.hpp"
#include "base/codes.hpp"
#include "history/bundle.hpp"
#include "service/states/ask_state.hpp"

namespace polytrace::service {
namespace {

base::result<history::Snapshot> snapshot_before(const std::string& folder,
                                                const history::BuildOptions& trace,
                                                base::Notices& notices) {
  const auto files = history::BundleFiles::find(folder, history::kStateFile);
  if (!files) return base::Unexpected(files.error());
  notices.merge(files->notices());
  auto snapshot = history::load_snapshot(*files, notices);
  if (!snapshot) return snapshot;
  const history::StateFile& states = snapshot->states;
  if (states.ticks_per_second != trace.ticks_per_second)
    return base::fail(base::Code::usage, "a tick of the snapshot is none of the trace");
  if (states.timestamp.value_or(trace.start) > trace.start)
    return base::fail(base::Code::usage,
                      fmt::format("the snapshot is of {}, behind the trace's beginning at {}",
                                  *states.timestamp, trace.start));
  return snapshot;
}

// Units of what the trace tells; what the snapshot has noted stays.
history::TypesFile notes_of(const history::Tree& tree, const history::TypesFile& before) {
  history::TypesFile notes;
  for (const history::Tree::Node node : tree.subtree(history::Tree::kTop)) {
    history::KeyType note{.key = tree.key(node)};
    if (const history::KeyType* const known = before.find(note.key)) note = *known;
    if (note.unit.empty()) note.unit = analysis::attribute_unit(tree, node);
    if (note.key != history::kNoKey) notes.types.push_back(std::move(note));
  }
  std::ranges::sort(notes.types, {}, &history::KeyType::key);
  return notes;
}

// From the states of a snapshot, if its folder is told. The reading is complete.
base::result<MadeHistory> write_states(analysis::States& states, const HistoryTarget& target,
                                       const std::string& from_snapshot) {
  MadeHistory made;
  history::BuildOptions options = states.build_options();
  options.layout = target.layout;
  options.replace = target.replace;
  history::Snapshot before;
  if (!from_snapshot.empty()) {
    auto loaded = snapshot_before(from_snapshot, options, made.notices);
    if (!loaded) return base::Unexpected(loaded.error());
    before = std::move(*loaded);
    options.start = before.states.timestamp.value_or(options.start);
  }
  auto builder = history::create_bundle(target.folder, options);
  if (!builder) return base::Unexpected(builder.error());
  auto done = from_snapshot.empty() ? base::result<void>() : history::restore(before, *builder);
  if (done) done = states.build(*builder);
  if (done)
    done =
        history::complete_bundle(*builder, target.folder, notes_of(builder->tree(), before.types));
  if (!done) return base::Unexpected(done.error());
  made.notices.merge(states.notices());
  made.facts = builder->facts();
  return made;
}

}  // namespace

Asked<BuiltStates> build_states(const Input& input, const HistoryTarget& target,
                                const std::string& from_snapshot) {
  if (auto good = check_target(target); !good) return refuse(good.error(), target.folder);
  auto opened = input.open();
  if (!opened) return refuse(opened.error(), input.name());
  analysis::States states;
  BuiltStates built;
  built.reading.passed = pass(input, *opened->reader, states);
  built.reading.origin = origin_of(input, *opened);
  built.written =
      !keeps_old(built.reading.passed, history::file_in(target.folder, history::kHistoryFile));
  if (!built.written) return built;
  auto made = write_states(states, target, from_snapshot);
  if (!made) return refuse(made.error(), blamed(made.error(), input.name(), target.folder));
  built.made = std::move(*made);
  return built;
}

}  // namespace polytrace::service
