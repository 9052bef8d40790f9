// SPDX-License-Identifier: Apache-2.0
#include "history/interchange.hpp"

#include <fmt/format.h>

#include "base/codes.hpp"
#include "cli/frame/command.hpp"
#include "cli/history/history_input.hpp"
#include "cli/history/history_output.hpp"
#include "history/csv/csv_time.hpp"

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
    list.add("FILE", file_, "What to read").takes("FILE").required().in("Input");
    list.add("--tick", tick_, "What a tick of the rows is")
        .takes("UNIT")
        .one_of({"ns", "us", "ms", "s"})
        .shows_default()
        .in("Input");
    list.add("--end", end_, "When the history of rows ends; the last of them otherwise")
        .takes("TIME")
        .in("Input");
    list.add(
            "--mixed", mixed_,
            "Of a snapshot's folder: go on where types.json or tree.json belong to another history")
        .in("Input");
    add_history_output(list, output_);
  }
  int run(Session& session) override {
    if (auto good = check_output(output_); !good) return session.fail(good.error(), output_.folder);
    history::ImportOptions options;
    options.layout = layout_of(output_);
    options.replace = output_.force;
    options.mixed = mixed_;
    options.ticks_per_second = ticks_per_second();
    if (!end_.empty()) {
      const auto end = history::parse_csv_time(end_, options.ticks_per_second);
      if (!end) return session.fail(base::Error{base::Code::usage, {}, no_time()});
      options.end = end->tick;
    }
    const auto imported = history::import_bundle(file_, output_.folder, options);
    if (!imported)
      return session.fail(imported.error(), blamed(imported.error(), file_, output_.folder));
    return tell_made(session, {file_, output_.folder, imported->facts, imported->notices});
  }

 private:
  std::uint64_t ticks_per_second() const {
    if (tick_ == "s") return 1;
    if (tick_ == "ms") return 1'000;
    return tick_ == "us" ? 1'000'000 : 1'000'000'000;
  }
  std::string no_time() const {
    return fmt::format("\"{}\" is no time: try 1500 ticks, 1.5 seconds or 2026-11-21T10:00:00Z",
                       end_);
  }

  std::string file_;
  std::string tick_ = "ns";
  std::string end_;
  bool mixed_ = false;
  HistoryOutput output_;
};

}  // namespace

std::unique_ptr<Command> make_history_import() { return std::make_unique<HistoryImport>(); }

}  // namespace polytrace::cli
