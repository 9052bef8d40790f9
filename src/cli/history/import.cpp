// SPDX-License-Identifier: Apache-2.0
#include "history/import.hpp"

#include "cli/commands.hpp"
#include "cli/history/history_input.hpp"
#include "cli/history/history_output.hpp"

namespace polytrace::cli {
namespace {

class HistoryImport final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "history-import",
        "makes a history of what other tools write",
        "[OPTIONS] FILE -o DIR",
        "FILE is a history tree (.ht) or a snapshot (.snapshot.json) of Trace Compass, a folder "
        "with a snapshot, or rows of text (CSV) with the header time,path,type,value for changes, "
        "or path,start,end,type,value or key,start,end,type,value for states. Its content shows "
        "which; gzip and zstd are unpacked on the way. Rows are read twice.",
        {{"a history tree", "polytrace history import kernel.ht -o kernel.history"},
         {"changes of any tool", "polytrace history import changes.csv -o changes.history"},
         {"changes that come up to a millisecond late",
          "polytrace history import --reorder 1000000 changes.csv -o changes.history"}},
        {0, 1, 2, 3, 4, 6},
        "docs/formats/state-history-interchange.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList& list) override {
    list.add("FILE", file_, "What to read").takes("FILE").required().in("Input");
    list.add("--reorder", reorder_, "Ticks that changes may come late").takes("TICKS").in("Input");
    add_history_output(list, output_);
  }
  int run(Session& session) override {
    if (auto good = check_output(output_); !good) return session.fail(good.error(), output_.folder);
    history::ImportOptions options;
    options.layout = layout_of(output_);
    options.replace = output_.force;
    options.reorder_window = reorder_;
    const auto imported = history::import_bundle(file_, output_.folder, options);
    if (!imported)
      return session.fail(imported.error(), blamed(imported.error(), file_, output_.folder));
    return tell_made(session, {file_, output_.folder, imported->facts, imported->notices});
  }

 private:
  std::string file_;
  std::uint64_t reorder_ = 0;
  HistoryOutput output_;
};

}  // namespace

std::unique_ptr<Command> make_history_import() { return std::make_unique<HistoryImport>(); }

}  // namespace polytrace::cli
