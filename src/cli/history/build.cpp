// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/states/states.hpp"
#include "cli/commands.hpp"
#include "cli/history/history_input.hpp"
#include "cli/history/history_output.hpp"
#include "cli/input.hpp"
#include "cli/notices_view.hpp"
#include "cli/show/escape.hpp"

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
    add_history_output(list, output_);
  }
  int run(Session& session) override {
    if (auto good = check_output(output_); !good) return session.fail(good.error(), output_.folder);
    Input input(input_);
    const auto built = build_states(session, input, output_);
    if (!built)
      return session.fail(built.error(), blamed(built.error(), input.name(), output_.folder));
    tell_notices(session, input.name(), built->passed.notices);
    if (keeps_old(built->passed, history::file_in(output_.folder, history::kHistoryFile))) {
      session.remark(fmt::format("{}: NOT written", show::printable(output_.folder)));
      return conclude(session, input, built->passed);
    }
    const int made =
        tell_made(session, {input.name(), output_.folder, built->facts, built->notices});
    return std::max(conclude(session, input, built->passed), made);
  }

 private:
  InputOptions input_;
  HistoryOutput output_;
};

}  // namespace

base::result<BuiltStates> build_states(const Session& session, const Input& input,
                                       const HistoryOutput& output) {
  auto opened = input.open();
  if (!opened) return base::Unexpected(opened.error());
  analysis::states::States states;
  BuiltStates built{pass(session, input, *opened->reader, states), {}, {}};
  if (keeps_old(built.passed, history::file_in(output.folder, history::kHistoryFile))) return built;
  history::BuildOptions options = states.build_options();
  options.layout = layout_of(output);
  options.replace = output.force;
  auto builder = history::create_bundle(output.folder, options);
  if (!builder) return base::Unexpected(builder.error());
  if (auto done = states.build(*builder); !done) return base::Unexpected(done.error());
  if (auto done = history::complete_bundle(*builder, output.folder); !done)
    return base::Unexpected(done.error());
  built.notices = states.notices();
  built.facts = builder->facts();
  return built;
}

std::unique_ptr<Command> make_history_build() { return std::make_unique<HistoryBuild>(); }

}  // namespace polytrace::cli
