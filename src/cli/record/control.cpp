// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <fstream>

#include "agent/control/client.hpp"
#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "base/text/json_writer.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/session.hpp"
#include "cli/record/start_body.hpp"
#include "service/words/numbers.hpp"
#include "service/words/words.hpp"

namespace polytrace::cli {
namespace {

using namespace agent::control;

struct Action {
  std::string_view name;
  Message message;
  bool controls;          // else observing is enough
  std::size_t arguments;  // at most
  int patience_ms;
};
constexpr int kLong = 600'000;  // heap dumps of large programs
constexpr std::array kActions = {
    Action{"status", Message::status, false, 0, Client::kPatience},
    Action{"start", Message::start, true, 4, Client::kPatience},
    Action{"stop", Message::stop, true, 0, Client::kPatience},
    Action{"pause", Message::pause, true, 0, Client::kPatience},
    Action{"resume", Message::resume, true, 0, Client::kPatience},
    Action{"filters", Message::set_filters, true, 4096, Client::kPatience},
    Action{"option", Message::set_option, true, 1, Client::kPatience},
    Action{"heap-dump", Message::heap_dump, true, 1, kLong},
    Action{"gc", Message::run_gc, true, 0, kLong},
    Action{"flush", Message::flush, false, 0, Client::kPatience},
    Action{"annotate", Message::annotate, true, 1, Client::kPatience}};

std::vector<std::string> action_names() {
  std::vector<std::string> names;
  for (const Action& action : kActions) names.emplace_back(action.name);
  return names;
}

const Action* find_action(std::string_view name) {
  for (const Action& action : kActions) {
    if (action.name == name) return &action;
  }
  return nullptr;
}

class Control final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "control",
        "steers a recording while it runs",
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
    list.add("TARGET", target_, "A process id, a socket, or :PORT")
        .takes("TARGET")
        .required()
        .in("Command");
    list.add("COMMAND", command_, "What the agent shall do")
        .takes("COMMAND")
        .suggests(action_names())
        .required()
        .in("Command");
    list.add("ARGUMENT", arguments_, "Of the command").takes("ARGUMENT").in("Command");
    list.add("--token-file", token_file_, "The token of an agent that listens on TCP")
        .takes("FILE")
        .in("Command");
  }
  int run(Session& session) override {
    const Action* action = find_action(command_);
    if (action == nullptr)
      return session.fail_usage(fmt::format("no command \"{}\"{}", command_,
                                            service::did_you_mean(command_, action_names())));
    if (arguments_.size() > action->arguments)
      return session.fail_usage(fmt::format("{} takes no \"{}\"", command_, arguments_.back()));
    if (action->arguments == 1 && arguments_.empty() && action->message != Message::heap_dump)
      return session.fail_usage(fmt::format("{} needs an argument", command_));
    Body start;
    if (const std::string fault =
            action->message == Message::start ? add_start(start, arguments_) : "";
        !fault.empty())
      return session.fail_usage(fault);
    if (const auto connected = connect(); !connected)
      return session.fail(connected.error(), target_);
    const auto welcome = greet(*action);
    if (!welcome) return session.fail(welcome.error(), target_);
    const auto answer = ask(*action, start);
    if (!answer) return session.fail(answer.error(), target_);
    return tell(session, *welcome, *answer);
  }

 private:
  base::result<void> connect() {
    if (const auto process = service::parse_number<unsigned>(target_))
      return client_.connect_process(static_cast<pid_t>(*process));
    if (!target_.starts_with(':')) return client_.connect_path(target_);
    const auto port = service::parse_number<unsigned>(std::string_view(target_).substr(1));
    if (port && *port > 0 && *port < 65536)
      return client_.connect_port(static_cast<std::uint16_t>(*port));
    return base::fail(base::Code::open_failed, "is no port");
  }

  base::result<Welcome> greet(const Action& action) {
    const std::string token = token_file_.empty() ? "" : read_token_file(token_file_);
    auto welcome = client_.greet({{}, action.controls, token});
    if (!welcome || !action.controls || welcome->right == Right::control) return welcome;
    return base::fail(base::Code::open_failed,
                      "another client controls this agent, or it lets nobody");
  }

  // `body` holds what START says.
  base::result<Answer> ask(const Action& action, Body& body) {
    if (action.message == Message::set_filters) return client_.set_filters(arguments_);
    const std::string_view argument = arguments_.empty() ? std::string_view() : arguments_[0];
    const std::size_t equals = std::min(argument.find('='), argument.size());
    if (action.message == Message::set_option) {
      body.text(Field::name, argument.substr(0, equals));
      body.text(Field::value, argument.substr(std::min(equals + 1, argument.size())));
    }
    if (action.message == Message::heap_dump && !argument.empty()) body.text(Field::name, argument);
    if (action.message == Message::annotate) body.text(Field::text, argument);
    return client_.command(action.message, body, action.patience_ms);
  }

  int tell(Session& session, const Welcome& welcome, const Answer& answer) const {
    const bool done = answer.outcome == Outcome::ok;
    if (session.common.json) {
      tell_json(session, welcome, answer);
    } else if (done) {
      tell_people(session, welcome, answer);
    } else {
      session.remark(fmt::format("{}: {}{}{}", command_, name_of(answer.outcome),
                                 answer.text.empty() ? "" : ": ", answer.text));
    }
    return done ? 0 : 1;
  }

  static void tell_people(Session& session, const Welcome& welcome, const Answer& answer) {
    std::string& out = session.out().text();
    out += fmt::format("{} in process {}: {}\n", welcome.agent, welcome.process,
                       name_of(answer.state));
    if (!answer.text.empty()) out += fmt::format("  {}\n", answer.text);
    for (const Counter& figure : answer.figures)
      out += fmt::format("  {:<20} {}\n", figure.name, base::count_text(figure.value));
  }

  void tell_json(Session& session, const Welcome& welcome, const Answer& answer) const {
    std::string& out = session.out().text();
    base::JsonWriter json(out);
    json.begin_object();
    json.member("schema", "polytrace.control/1");
    json.member("command", command_);
    json.member("outcome", name_of(answer.outcome));
    json.member("state", name_of(answer.state));
    json.member("message", answer.text);
    json.member("process", welcome.process);
    json.member("runtime", welcome.runtime);
    json.member("agent", welcome.agent);
    json.key("figures");
    json.begin_object();
    for (const Counter& figure : answer.figures) json.member(figure.name, figure.value);
    json.end_object();
    json.end_object();
    out += '\n';
  }

  std::string target_, command_, token_file_;
  std::vector<std::string> arguments_;
  Client client_;
};

}  // namespace

std::unique_ptr<Command> make_control() { return std::make_unique<Control>(); }

}  // namespace polytrace::cli
