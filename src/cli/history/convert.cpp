// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/command.hpp"
#include "cli/history/history_options.hpp"

namespace polytrace::cli {
namespace {

class HistoryConvert final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "history-convert",
        "[OPTIONS] DIR --layout LAYOUT -o DIR2",
        "The same timelines, types, states and id: as segments, which answer queries, or as a "
        "stream of plain records, which other tools read and write easily.",
        {{"for another tool",
          "polytrace history convert app.history --layout stream -o plain.history"},
         {"and back",
          "polytrace history convert plain.history --layout segmented -o app2.history"}},
        {0, 1, 2, 3, 4, 6},
        "docs/formats/state-history.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList& list) override {
    list.add("DIR", folder_, "The folder of the history, or a .tar or .zip of one")
        .takes("FILE")
        .required()
        .in("Input");
    add_history_output(list, output_);
  }
  int run(Session& session) override {
    const auto made = service::convert_history(folder_, output_.target());
    if (!made) return session.refuse(made.error());
    return tell_made(session, folder_, output_.folder, *made);
  }

 private:
  std::string folder_;
  HistoryOutput output_;
};

}  // namespace

std::unique_ptr<Command> make_history_convert() { return std::make_unique<HistoryConvert>(); }

}  // namespace polytrace::cli
