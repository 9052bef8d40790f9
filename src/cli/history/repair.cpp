// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/command.hpp"
#include "cli/history/history_options.hpp"

namespace polytrace::cli {
namespace {

class HistoryRepair final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "history-repair",
        "DIR",
        "Drops what lies behind the last whole frame of history.bin, adds its index, and writes "
        "types.json and tree.json anew. The file is changed in place; one that is whole stays as "
        "it is. If states are lost, the exit code is 4, though the history is whole now; so it is "
        "where what is wrong cannot be repaired.",
        {{"after a crash", "polytrace history repair app.history"},
         {"is it whole now?", "polytrace history check app.history"}},
        {0, 1, 2, 3, 4},
        "docs/formats/state-history.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList& list) override { add_history_folder(list, folder_); }
  int run(Session& session) override {
    const auto repaired = service::repair_history(folder_);
    if (!repaired) return session.refuse(repaired.error());
    const int told = tell_made(session, folder_, folder_, *repaired);
    // The index that was missing is there now.
    return repaired->notices.bytes_lost() == 0 && repaired->is_whole ? 0 : told;
  }

 private:
  std::string folder_;
};

}  // namespace

std::unique_ptr<Command> make_history_repair() { return std::make_unique<HistoryRepair>(); }

}  // namespace polytrace::cli
