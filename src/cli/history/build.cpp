// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "cli/frame/notices_view.hpp"
#include "cli/history/history_options.hpp"
#include "cli/options/trace_options.hpp"
#include "cli/show/text_room.hpp"
#include "service/states/ask_state.hpp"

namespace polytrace::cli {
namespace {

class HistoryBuild final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "history-build",
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
    const service::Input input(input_, session.asking());
    const auto built = service::build_states(input, output_.target(), from_snapshot_);
    if (!built) return session.refuse(built.error());
    tell_notices(session, built->reading);
    if (!built->written) {
      session.remark(fmt::format("{}: NOT written", printable(output_.folder)));
      return conclude(session, built->reading);
    }
    const int made = tell_made(session, input.name(), output_.folder, built->made);
    return std::max(conclude(session, built->reading), made);
  }

 private:
  service::InputOptions input_;
  HistoryOutput output_;
  std::string from_snapshot_;
};

}  // namespace

std::unique_ptr<Command> make_history_build() { return std::make_unique<HistoryBuild>(); }

}  // namespace polytrace::cli
