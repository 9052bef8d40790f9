// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/command.hpp"
#include "cli/history/history_options.hpp"

namespace polytrace::cli {
namespace {

class HistoryImport final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "history-import",
        "[OPTIONS] FILE -o DIR",
        "FILE is a history tree (.ht) or a snapshot (.snapshot.json) of Trace Compass, a folder "
        "with a snapshot or a tar or zip of one, or rows of text (CSV) with the header "
        "time,path,type,value for changes, or path,start,end,type,value or "
        "key,start,end,type,value for states. Its content shows which; gzip and zstd "
        "are unpacked on the way.\n\n"
        "Rows may come in any order. Columns may, too, separated by ',', ';' or tabs; without "
        "the column type a value shows its own. Times of rows are ticks (1500), seconds with a "
        "decimal point (1.5) or wall times (RFC 3339).",
        {{"a history tree", "polytrace history import kernel.ht -o kernel.history"},
         {"changes of any tool", "polytrace history import changes.csv -o changes.history"},
         {"changes in microseconds, of a recording of one second",
          "polytrace history import --tick us --end 1.0 changes.csv -o changes.history"}},
        {0, 1, 2, 3, 4, 6},
        "docs/formats/state-history-interchange.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList& list) override {
    list.add("FILE", question_.file, "What to read").takes("FILE").required().in("Input");
    list.add("--tick", question_.tick, "What a tick of the rows is")
        .takes("UNIT")
        .one_of({"ns", "us", "ms", "s"})
        .shows_default()
        .in("Input");
    list.add("--end", question_.end, "When the history of rows ends; the last of them otherwise")
        .takes("TIME")
        .in("Input");
    list.add(
            "--mixed", question_.mixed,
            "Of a snapshot's folder: go on where types.json or tree.json belong to another history")
        .in("Input");
    add_history_output(list, output_);
  }
  int run(Session& session) override {
    const auto made = service::import_history(question_, output_.target());
    if (!made) return session.refuse(made.error());
    return tell_made(session, question_.file, output_.folder, *made);
  }

 private:
  service::ImportQuestion question_;
  HistoryOutput output_;
};

}  // namespace

std::unique_ptr<Command> make_history_import() { return std::make_unique<HistoryImport>(); }

}  // namespace polytrace::cli
