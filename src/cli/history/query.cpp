// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/codes.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/history/history_options.hpp"
#include "cli/history/state_view.hpp"

namespace polytrace::cli {
namespace {

class HistoryQuery final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "history-query",
        "[OPTIONS] DIR",
        "One query by options, or many by --batch, which has one a line: \"at TIME [PATH]\", "
        "\"range FROM TO [PATH]\" or \"samples N FROM TO [PATH]\"; lines that begin with # are "
        "left out. Answers come in the order of the questions; one that there is not is told and "
        "the exit code says so.\n\n"
        "Each row is a state with its true bounds, both inclusive. With --from after --to a range "
        "is answered backwards.",
        {{"everything in the middle", "polytrace history query app.history --at 50%"},
         {"what one thread did when",
          "polytrace history query app.history --path 'Threads/0x1/Status' --from 0% --to 100%"},
         {"a line of 1000 points for a chart",
          "polytrace history query app.history --path Heap/Used --from 0% --to 100% --samples "
          "1000"},
         {"many questions", "polytrace history query app.history --batch questions.txt --json"}},
        {0, 1, 2, 3, 4, 6},
        "polytrace help times, docs/states.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList& list) override {
    add_history(list, source_);
    const char* group = "Query";
    list.add("--at", question_.at, "The states that hold at this time").takes("TIME").in(group);
    list.add("--from", question_.from, "The states that overlap the span from here ...")
        .takes("TIME")
        .in(group);
    list.add("--to", question_.to, "... to here").takes("TIME").in(group);
    list.add("--samples", question_.samples, "Of the span, only the states at so many times")
        .takes("COUNT")
        .in(group);
    list.add("--batch", question_.batch, "Read queries from this file; - is standard input")
        .takes("FILE")
        .in(group);
    add_keys(list, question_.keys);
    list.add("--limit", question_.limit, "Rows, 0 = all")
        .takes("COUNT")
        .shows_default()
        .in("Output");
    add_form(list, format_);
  }
  int run(Session& session) override {
    const TableForm form = form_of(session, format_);
    if (auto good = check_options(); !good) return session.fail(good.error());
    const auto opened = open_history(session, source_);
    if (!opened) return session.fail(opened.error(), source_.path);
    const auto answer = service::ask_history(opened->history, question_);
    if (!answer) return session.fail(answer.error(), source_.path);
    int code = opened->history.notices().exit_code();
    tell_notices(session, question_.batch, answer->notices);
    // A question that could not be answered raises the code; the others were answered.
    for (const base::Error& error : answer->refused)
      code = std::max(code, session.fail(error, question_.batch));
    print(session, opened->history, answer->states, form);
    return code;
  }

 private:
  base::result<void> check_options() const {
    const bool span = !question_.from.empty() || !question_.to.empty();
    const int ways = int{!question_.at.empty()} + int{span} + int{!question_.batch.empty()};
    if (ways != 1)
      return base::fail(base::Code::usage, "give --at, or --from and --to, or --batch");
    if (span && (question_.from.empty() || question_.to.empty()))
      return base::fail(base::Code::usage, "--from and --to belong together");
    if (question_.samples != 0 && !span)
      return base::fail(base::Code::usage, "--samples needs --from and --to");
    return {};
  }
  void print(Session& session, const history::History& history, const analysis::Table& table,
             TableForm form) const {
    std::string& out = session.out().text();
    if (form == TableForm::json) out += service::states_json(source_.path, table);
    else append_states(out, table, form, session.look(), history.facts().start);
  }

  service::HistorySource source_;
  service::HistoryQuestion question_;
  std::string format_ = "text";
};

}  // namespace

std::unique_ptr<Command> make_history_query() { return std::make_unique<HistoryQuery>(); }

}  // namespace polytrace::cli
