// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/codes.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/history/history_input.hpp"
#include "cli/history/state_view.hpp"
#include "history/files/json_file.hpp"
#include "service/states/histories.hpp"

namespace polytrace::cli {
namespace {

using history::History;

class HistoryQuery final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "history-query",
        "which states held when",
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
    add_history(list, history_);
    const char* group = "Query";
    list.add("--at", at_, "The states that hold at this time").takes("TIME").in(group);
    list.add("--from", from_, "The states that overlap the span from here ...")
        .takes("TIME")
        .in(group);
    list.add("--to", to_, "... to here").takes("TIME").in(group);
    list.add("--samples", samples_, "Of the span, only the states at so many times")
        .takes("COUNT")
        .in(group);
    list.add("--batch", batch_, "Read queries from this file; - is standard input")
        .takes("FILE")
        .in(group);
    add_keys(list, keys_);
    list.add("--limit", limit_, "Rows, 0 = all").takes("COUNT").shows_default().in("Output");
    add_form(list, format_);
  }
  int run(Session& session) override {
    const TableForm form = form_of(session, format_);
    if (auto good = check_options(); !good) return session.fail(good.error());
    const auto opened = open_history(session, history_);
    if (!opened) return session.fail(opened.error(), history_.path);
    service::StateTable table(*opened, limit_, !batch_.empty());
    int code = opened->notices().exit_code();
    const auto asked =
        batch_.empty() ? ask_one(*opened, table) : ask_all(session, *opened, table, code);
    if (!asked) return session.fail(asked.error(), history_.path);
    print(session, *opened, table.take(), form);
    return code;
  }

 private:
  base::result<void> check_options() const {
    const bool span = !from_.empty() || !to_.empty();
    const int ways = (at_.empty() ? 0 : 1) + (span ? 1 : 0) + (batch_.empty() ? 0 : 1);
    if (ways != 1)
      return base::fail(base::Code::usage, "give --at, or --from and --to, or --batch");
    if (span && (from_.empty() || to_.empty()))
      return base::fail(base::Code::usage, "--from and --to belong together");
    if (samples_ != 0 && !span)
      return base::fail(base::Code::usage, "--samples needs --from and --to");
    return {};
  }
  // By options: the words of a query, and keys beside them.
  base::result<void> ask_one(const History& history, service::StateTable& table) const {
    std::string words = "at " + at_;
    if (samples_ != 0) words = fmt::format("samples {} {} {}", samples_, from_, to_);
    else if (!from_.empty()) words = fmt::format("range {} {}", from_, to_);
    const auto query = service::parse_query(words, history, keys_);
    if (!query) return base::Unexpected(query.error());
    return service::ask(history, *query, [&](const history::Interval& one) { table.add(one, 1); });
  }
  // A question that cannot be answered is told, and raises `code`; the others are answered.
  base::result<void> ask_all(const Session& session, const History& history,
                             service::StateTable& table, int& code) const {
    base::Notices notices;
    const auto text = history::load_text(batch_, notices);
    if (!text) return base::Unexpected(text.error());
    tell_notices(session, batch_, notices.sorted());
    service::ask_lines(history, *text, table, [&](const base::Error& error) {
      code = std::max(code, session.fail(error, batch_));
    });
    return {};
  }
  void print(Session& session, const History& history, const analysis::Table& table,
             TableForm form) const {
    std::string& out = session.out().text();
    if (form == TableForm::json) out += service::states_json(history_.path, table);
    else append_states(out, table, form, session.look(), history.facts().start);
  }

  HistoryOptions history_;
  std::string at_;
  std::string from_;
  std::string to_;
  std::uint64_t samples_ = 0;
  std::string batch_;
  service::KeyOptions keys_;
  std::uint64_t limit_ = 100'000;
  std::string format_ = "text";
};

}  // namespace

std::unique_ptr<Command> make_history_query() { return std::make_unique<HistoryQuery>(); }

}  // namespace polytrace::cli
