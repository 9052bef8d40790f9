// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/command.hpp"
#include "cli/history/history_input.hpp"
#include "cli/history/history_output.hpp"

namespace polytrace::cli {
namespace {

class HistorySnapshot final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "history-snapshot",
        "writes the states at one time as JSON",
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
    add_history(list, history_);
    list.add("--at", at_, "The time").takes("TIME").required().in("Selection");
    list.add("--with-intervals", with_intervals_, "Tell since when and until when each state holds")
        .in("Output");
    add_history_output(list, output_, false);
  }
  int run(Session& session) override {
    const auto files = history::BundleFiles::find(history_.path);
    if (!files) return session.fail(files.error(), history_.path);
    const auto opened = open_history(session, history_, *files);
    if (!opened) return session.fail(opened.error(), history_.path);
    const auto at = service::tick_of(at_, opened->facts(), opened->facts().start);
    if (!at) return session.fail(at.error());
    const auto saved = history::save_snapshot(
        *opened, *at, output_.folder,
        {with_intervals_, output_.force, history_.mixed ? nullptr : &*files});
    if (!saved) return session.fail(saved.error(), output_.folder);
    return opened->notices().exit_code();
  }

 private:
  HistoryOptions history_;
  HistoryOutput output_;
  std::string at_;
  bool with_intervals_ = false;
};

}  // namespace

std::unique_ptr<Command> make_history_snapshot() { return std::make_unique<HistorySnapshot>(); }

}  // namespace polytrace::cli
