// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/frame/command.hpp"
#include "cli/frame/session.hpp"
#include "cli/help/help_text.hpp"

namespace polytrace::cli {
namespace {

class HistoryGroup final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "history",
        "states over time: build one, ask it",
        "[COMMAND]",
        "A history keeps what held when: the state of every thread, lock, collector and counter, "
        "or of anything another tool writes. Its commands are words of their own: build, query, "
        "snapshot, info, check, repair, import, export, convert. Without one, they are listed.\n\n"
        "What reads a history takes its folder, or a .tar (.tar.gz, .tar.zst) or .zip of it, which "
        "is unpacked to temporary files; what writes one needs a folder.",
        {{"build one", "polytrace history build app.mlpd -o app.history"},
         {"ask it", "polytrace history query app.history --at 50%"},
         {"how to use build", "polytrace history build --help"}},
        {0, 2},
        "docs/states.md, docs/formats/state-history.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {false, false}; }
  void define(OptionList&) override {}
  int run(Session& session) override {
    session.out().text() += group_help(session.catalogue(), "history");
    return 0;
  }
};

}  // namespace

std::unique_ptr<Command> make_history() { return std::make_unique<HistoryGroup>(); }

}  // namespace polytrace::cli
