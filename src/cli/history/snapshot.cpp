// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/command.hpp"
#include "cli/history/history_options.hpp"

namespace polytrace::cli {
namespace {

class HistorySnapshot final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "history-snapshot",
        "[OPTIONS] DIR --at TIME -o DIR2",
        "Writes types.json and tree.json as they are in the history, and state.json with the value "
        "of every timeline at that time.",
        {{"the middle of a trace",
          "polytrace history snapshot app.history --at 50% -o middle.snapshot"},
         {"begin a new history with it",
          "polytrace history import middle.snapshot -o middle.history"},
         {"go on with it in the next recording",
          "polytrace history build next.mlpd --from-snapshot middle.snapshot -o next.history"}},
        {0, 1, 2, 3, 4, 6},
        "docs/formats/state-history.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {false, false}; }
  void define(OptionList& list) override {
    add_history(list, source_);
    list.add("--at", question_.at, "The time").takes("TIME").required().in("Selection");
    list.add("--with-intervals", question_.with_intervals,
             "Tell since when and until when each state holds")
        .in("Output");
    add_history_output(list, output_, false);
  }
  int run(Session& session) override {
    const auto opened = open_history(session, source_);
    if (!opened) return session.fail(opened.error(), source_.path);
    const auto saved = service::save_snapshot(*opened, question_, output_.target());
    if (!saved) return session.refuse(saved.error());
    return opened->history.notices().exit_code();
  }

 private:
  service::HistorySource source_;
  service::SnapshotQuestion question_;
  HistoryOutput output_;
};

}  // namespace

std::unique_ptr<Command> make_history_snapshot() { return std::make_unique<HistorySnapshot>(); }

}  // namespace polytrace::cli
