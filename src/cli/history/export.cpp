// SPDX-License-Identifier: Apache-2.0
#include "history/interchange.hpp"

#include <fmt/format.h>

#include "base/codes.hpp"
#include "cli/frame/command.hpp"
#include "cli/history/history_input.hpp"
#include "cli/history/history_output.hpp"
#include "service/convert/conversion_target.hpp"

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
        "writes a history as rows of text (CSV)",
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
    add_history(list, history_);
    list.add("--from", from_, "Leave out states that end earlier").takes("TIME").in("Selection");
    list.add("--to", to_, "Leave out states that begin later").takes("TIME").in("Selection");
    list.add("--form", form_, "paths, keys or changes")
        .takes("FORM")
        .one_of({"paths", "keys", "changes"})
        .shows_default()
        .in("Output");
    list.add("-o,--output", target_.output, "The file to write; - is standard output")
        .takes("FILE")
        .required()
        .in("Output");
    list.add("-f,--force", target_.force, "Replace an existing file").in("Output");
  }
  int run(Session& session) override {
    const auto opened = open_history(session, history_);
    if (!opened) return session.fail(opened.error(), history_.path);
    const history::Facts& facts = opened->facts();
    history::ExportOptions options{form_named(form_), facts.start, facts.end};
    if (auto read = read_times(facts, options); !read) return session.fail(read.error());
    auto sink = service::open_target(target_, history_.path);
    if (!sink) return session.fail(sink.error(), target_.output);
    const auto left_out = history::export_rows(*opened, **sink, options);
    if (!left_out)
      return session.fail(left_out.error(),
                          blamed(left_out.error(), history_.path, target_.output));
    if (auto done = (*sink)->commit(); !done) return session.fail(done.error(), target_.output);
    if (*left_out != 0)
      session.remark(fmt::format("{} timelines without a path were left out; --form keys has them",
                                 *left_out));
    return std::max(opened->notices().exit_code(), *left_out == 0 ? 0 : kPartial);
  }

 private:
  static constexpr int kPartial = 4;

  base::result<void> read_times(const history::Facts& facts,
                                history::ExportOptions& options) const {
    for (const auto& [text, tick] : {std::pair{&from_, &options.from}, {&to_, &options.to}}) {
      if (text->empty()) continue;
      const auto read = service::tick_of(*text, facts, options.from);
      if (!read) return base::Unexpected(read.error());
      *tick = *read;
    }
    if (options.from <= options.to) return {};
    return base::fail(base::Code::usage, "--to is before --from");
  }

  HistoryOptions history_;
  service::TargetOptions target_;
  std::string from_;
  std::string to_;
  std::string form_ = "paths";
};

}  // namespace

std::unique_ptr<Command> make_history_export() { return std::make_unique<HistoryExport>(); }

}  // namespace polytrace::cli
