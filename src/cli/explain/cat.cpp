// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <bitset>

#include "base/codes.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/options/trace_options.hpp"
#include "event/merge.hpp"
#include "event/text/text.hpp"
#include "service/ask/events.hpp"

namespace polytrace::cli {
namespace {

class Cat final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "cat",
        "[OPTIONS] FILE",
        "Prints events as canonical text, which is exact: it can be read back. Each line has the "
        "time in nanoseconds of the trace's clock, the thread, the kind and the fields.\n\n"
        "With --jsonl (or --json) each line is a JSON object instead. Problems of the input go to "
        "standard error.",
        {{"the first lines", "polytrace cat app.mlpd | head"},
         {"200 ms of one thread, with calls only",
          "polytrace cat --from 1.5s --to +200ms --thread Main --kind enter,leave app.mlpd"},
         {"all exceptions as JSON lines", "polytrace cat --jsonl --kind throw,clause app.mlpd"}},
        {0, 1, 2, 3, 4, 6, 130},
        "polytrace help kinds, polytrace help times, docs/reference/canonical-text.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    add_input_options(list, input_, Following::offered);
    add_selection_options(list, question_.selection,
                          "Only what is about a method, class or thread whose name contains this");
    list.add("--kind", question_.kinds, "Only these kinds of events (polytrace help kinds)")
        .takes("KIND[,KIND...]")
        .in("Selection");
    list.add("--limit", question_.limit, "Stop after so many events, 0 = never")
        .takes("COUNT")
        .shows_default()
        .in("Selection");
    list.add("--order", order_,
             "As in the file, or by time over all threads (keeps the trace in memory)")
        .one_of({"file", "time"})
        .takes("ORDER")
        .shows_default()
        .in("Output");
    list.add("--jsonl", jsonl_, "JSON Lines instead of canonical text").in("Output");
  }
  int run(Session& session) override {
    using Question = service::EventsQuestion;
    if (order_ == "time") question_.order = Question::Order::time;
    if (jsonl_ || session.common.json) question_.form = Question::Form::json_lines;
    service::Input input(input_, session.asking());
    Output& out = session.out();
    out.expect_no_styles();
    const service::EventLines lines{out.text(),
                                    [&] { return input_.follow ? out.flush() : out.drain(); }};
    const auto answer = service::ask_events(input, question_, lines);
    if (!answer) return session.refuse(answer.error());
    out.flush();
    tell_notices(session, answer->reading);
    const int code = conclude(session, answer->reading);
    if (answer->whole) return code;
    return std::max(code, session.fail({base::Code::limit_exceeded,
                                        {},
                                        "too much for --order time: select a shorter time"},
                                       input.name()));
  }

 private:
  service::InputOptions input_;
  service::EventsQuestion question_;
  std::string order_ = "file";
  bool jsonl_ = false;
};

}  // namespace

std::unique_ptr<Command> make_cat() { return std::make_unique<Cat>(); }

}  // namespace polytrace::cli
