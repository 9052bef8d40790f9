// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/states/derive/units.hpp"
#include "analysis/states/states.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/frame/commands.hpp"
#include "cli/history/history_input.hpp"
#include "cli/history/history_output.hpp"
#include "service/input/input.hpp"
#include "cli/show/escape.hpp"
#include "history/bundle.hpp"

namespace polytrace::cli {
namespace {

class HistoryBuild final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "history-build",
        "turns a trace into a history of states",
        "[OPTIONS] FILE -o DIR",
        "Reads a trace of any format and writes what each of its threads, locks, the collector, "
        "the heap and the counters were doing at every moment: a folder that \"polytrace history "
        "query\" answers from in microseconds.",
        {{"a history of a trace", "polytrace history build app.mlpd -o app.history"},
         {"then: all states after two seconds", "polytrace history query app.history --at 2s"}},
        {0, 1, 2, 3, 4, 6, 130},
        "docs/states.md, docs/formats/state-history.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    add_input_options(list, input_, Following::not_offered);
    list.add("--from-snapshot", from_snapshot_,
             "Begin with the states of this snapshot (a folder, .tar or .zip), which the trace "
             "continues")
        .takes("DIR")
        .in("Input");
    add_history_output(list, output_);
  }
  int run(Session& session) override {
    if (auto good = check_output(output_); !good) return session.fail(good.error(), output_.folder);
    Input input(input_);
    const auto built = build_states(session, input, output_, from_snapshot_);
    if (!built)
      return session.fail(built.error(), blamed(built.error(), input.name(), output_.folder));
    tell_notices(session, input.name(), built->passed.notices);
    if (keeps_old(built->passed, history::file_in(output_.folder, history::kHistoryFile))) {
      session.remark(fmt::format("{}: NOT written", printable(output_.folder)));
      return conclude(session, input, built->passed);
    }
    const int made =
        tell_made(session, {input.name(), output_.folder, built->facts, built->notices});
    return std::max(conclude(session, input, built->passed), made);
  }

 private:
  InputOptions input_;
  HistoryOutput output_;
  std::string from_snapshot_;
};

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
    if (note.unit.empty()) note.unit = analysis::states::unit_of(tree, node);
    if (note.key != history::kNoKey) notes.types.push_back(std::move(note));
  }
  std::ranges::sort(notes.types, {}, &history::KeyType::key);
  return notes;
}

}  // namespace

base::result<BuiltStates> build_states(const Session& session, const Input& input,
                                       const HistoryOutput& output,
                                       const std::string& from_snapshot) {
  auto opened = input.open();
  if (!opened) return base::Unexpected(opened.error());
  analysis::states::States states;
  BuiltStates built{pass(session, input, *opened->reader, states), {}, {}};
  if (keeps_old(built.passed, history::file_in(output.folder, history::kHistoryFile))) return built;
  history::BuildOptions options = states.build_options();
  options.layout = layout_of(output);
  options.replace = output.force;
  history::Snapshot before;
  if (!from_snapshot.empty()) {
    auto loaded = snapshot_before(from_snapshot, options, built.notices);
    if (!loaded) return base::Unexpected(loaded.error());
    before = std::move(*loaded);
    options.start = before.states.timestamp.value_or(options.start);
  }
  auto builder = history::create_bundle(output.folder, options);
  if (!builder) return base::Unexpected(builder.error());
  auto done = from_snapshot.empty() ? base::result<void>() : history::restore(before, *builder);
  if (done) done = states.build(*builder);
  if (done)
    done =
        history::complete_bundle(*builder, output.folder, notes_of(builder->tree(), before.types));
  if (!done) return base::Unexpected(done.error());
  built.notices.merge(states.notices());
  built.facts = builder->facts();
  return built;
}

std::unique_ptr<Command> make_history_build() { return std::make_unique<HistoryBuild>(); }

}  // namespace polytrace::cli
