// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/command.hpp"
#include "cli/history/history_input.hpp"
#include "cli/history/history_output.hpp"
#include "history/repair.hpp"

namespace polytrace::cli {
namespace {

class HistoryConvert final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "history-convert",
        "writes a history in another layout",
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
    if (auto good = check_output(output_); !good) return session.fail(good.error(), output_.folder);
    const auto files = history::BundleFiles::find(folder_);
    if (!files) return session.fail(files.error(), folder_);
    if (auto made = history::make_folder(output_.folder); !made)
      return session.fail(made.error(), output_.folder);
    auto converted = history::convert(files->path(history::kHistoryFile),
                                      history::file_in(output_.folder, history::kHistoryFile),
                                      layout_of(output_), output_.force);
    if (!converted) {
      const base::Error& error = converted.error();
      const auto whose = blamed(error, folder_, output_.folder);
      const bool is_input = whose == folder_;
      return session.fail(is_input ? files->explain(error, history::kHistoryFile) : error, whose);
    }
    converted->merge(files->notices());
    const auto opened = history::renew_bundle(output_.folder, history::load_notes(*files));
    if (!opened) return session.fail(opened.error(), output_.folder);
    return tell_made(session, {folder_, output_.folder, opened->facts(), *converted});
  }

 private:
  std::string folder_;
  HistoryOutput output_;
};

}  // namespace

std::unique_ptr<Command> make_history_convert() { return std::make_unique<HistoryConvert>(); }

}  // namespace polytrace::cli
