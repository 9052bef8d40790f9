// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "cli/frame/command.hpp"
#include "cli/history/history_options.hpp"

namespace polytrace::cli {
namespace {

history::CsvForm form_named(std::string_view name) {
  if (name == "changes") return history::CsvForm::changes;
  return name == "keys" ? history::CsvForm::keys : history::CsvForm::paths;
}

class HistoryExport final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "history-export",
        "[OPTIONS] DIR -o OUTPUT",
        "One state a row: by path, or by the number of the timeline; or one change a row, all in "
        "order of time. What is written is what \"polytrace history import\" reads. Rows of "
        "changes cannot tell a gap, which becomes null.\n\n"
        "An OUTPUT that ends in .gz or .zst is compressed; - is standard output.",
        {{"for a spreadsheet", "polytrace history export app.history -o states.csv"},
         {"changes of one second",
          "polytrace history export app.history --form changes --from 1s --to 2s -o -"}},
        {0, 1, 2, 3, 4, 6},
        "docs/formats/state-history-interchange.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {false, false}; }
  void define(OptionList& list) override {
    add_history(list, source_);
    list.add("--from", question_.from, "Leave out states that end earlier")
        .takes("TIME")
        .in("Selection");
    list.add("--to", question_.to, "Leave out states that begin later")
        .takes("TIME")
        .in("Selection");
    list.add("--form", form_, "paths, keys or changes")
        .takes("FORM")
        .one_of({"paths", "keys", "changes"})
        .shows_default()
        .in("Output");
    list.add("-o,--output", question_.output, "The file to write; - is standard output")
        .takes("FILE")
        .required()
        .in("Output");
    list.add("-f,--force", question_.replace, "Replace an existing file").in("Output");
  }
  int run(Session& session) override {
    constexpr int kPartial = 4;
    const auto opened = open_history(session, source_);
    if (!opened) return session.fail(opened.error(), source_.path);
    question_.form = form_named(form_);
    const auto left_out = service::export_rows(*opened, question_);
    if (!left_out) return session.refuse(left_out.error());
    if (*left_out != 0)
      session.remark(fmt::format("{} timelines without a path were left out; --form keys has them",
                                 *left_out));
    return std::max(opened->history.notices().exit_code(), *left_out == 0 ? 0 : kPartial);
  }

 private:
  service::HistorySource source_;
  service::RowsQuestion question_;
  std::string form_ = "paths";
};

}  // namespace

std::unique_ptr<Command> make_history_export() { return std::make_unique<HistoryExport>(); }

}  // namespace polytrace::cli
