// SPDX-License-Identifier: Apache-2.0
#include "service/record/control.hpp"

#include <fmt/format.h>

#include "base/text/figure_text.hpp"
#include "cli/frame/session.hpp"

namespace polytrace::cli {
namespace {

class Control final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "control",
        "[OPTIONS] PID|SOCKET|PORT COMMAND [ARGUMENT ...]",
        "Speaks with the agent in a program that was started with `record --control`, with attach, "
        "or with the agent's option control=.\n\n"
        "status: what was recorded. start, stop, pause, resume: the recording. start may say "
        "events=LIST, duration=TIME, limit=BYTES, session=NAME. filters RULE ...: a whole new list "
        "of filters. option NAME=VALUE. heap-dump [NAME], gc: of the program. "
        "flush: everything recorded so far into the file. annotate TEXT: an event that says so.\n\n"
        "For an agent that listens on TCP, the target is :PORT, and --token-file names its "
        "token.",
        {{"what a program has recorded so far", "polytrace control 4711 status"},
         {"the same, for scripts", "polytrace control --json 4711 status"},
         {"one minute of collections and locks, of a program that waits for it",
          "polytrace control 4711 start events=gc,monitors duration=1m"},
         {"a mark in the recording", "polytrace control 4711 annotate 'second run begins'"},
         {"a heap dump", "polytrace control 4711 heap-dump"}},
        {0, 1, 2, 130},
        "docs/recording.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList& list) override {
    list.add("TARGET", question_.target, "A process id, a socket, or :PORT")
        .takes("TARGET")
        .required()
        .in("Command");
    list.add("COMMAND", question_.command, "What the agent shall do")
        .takes("COMMAND")
        .suggests(service::control_commands())
        .required()
        .in("Command");
    list.add("ARGUMENT", question_.arguments, "Of the command").takes("ARGUMENT").in("Command");
    list.add("--token-file", question_.token_file, "The token of an agent that listens on TCP")
        .takes("FILE")
        .in("Command");
  }
  int run(Session& session) override {
    const auto steered = service::steer(question_);
    if (!steered) return session.refuse(steered.error());
    const auto& answer = steered->answer;
    if (session.common.json) {
      session.out().text() += service::control_json(question_.command, *steered);
    } else if (steered->is_done()) {
      tell(session.out().text(), *steered);
    } else {
      session.remark(fmt::format("{}: {}{}{}", question_.command, name_of(answer.outcome),
                                 answer.text.empty() ? "" : ": ", answer.text));
    }
    return steered->is_done() ? 0 : 1;
  }

 private:
  static void tell(std::string& out, const service::Steered& steered) {
    const auto& [welcome, answer] = steered;
    out += fmt::format("{} in process {}: {}\n", welcome.agent, welcome.process,
                       name_of(answer.state));
    if (!answer.text.empty()) out += fmt::format("  {}\n", answer.text);
    for (const auto& figure : answer.figures)
      out += fmt::format("  {:<20} {}\n", figure.name, base::count_text(figure.value));
  }

  service::ControlQuestion question_;
};

}  // namespace

std::unique_ptr<Command> make_control() { return std::make_unique<Control>(); }

}  // namespace polytrace::cli
