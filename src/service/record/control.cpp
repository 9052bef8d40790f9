// SPDX-License-Identifier: Apache-2.0
#include "service/record/control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "agent/common/options/options.hpp"
#include "base/codes.hpp"
#include "base/text/json_writer.hpp"
#include "service/selection/times.hpp"
#include "service/words/numbers.hpp"
#include "service/words/words.hpp"

namespace polytrace::service {
namespace {

using agent::control::Answer;
using agent::control::Body;
using agent::control::Client;
using agent::control::Field;
using agent::control::Message;
using agent::control::Welcome;

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

const Action* find_action(std::string_view name) {
  for (const Action& action : kActions) {
    if (action.name == name) return &action;
  }
  return nullptr;
}

bool add_events(Body& body, std::string_view list) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find_first_of(",+"), list.size());
    if (end != 0) body.text(Field::event, list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return true;
}

bool add_duration(Body& body, std::string_view text) {
  constexpr base::Duration kMillisecond = 1'000'000;
  const auto length = parse_shift(text);
  if (!length || *length < kMillisecond) return false;
  body.number(Field::duration, static_cast<std::uint64_t>(*length / kMillisecond));
  return true;
}

bool add_limit(Body& body, std::string_view text) {
  std::uint64_t bytes = 0;
  if (!agent::parse_size(text, bytes) || bytes == 0) return false;
  body.number(Field::limit, bytes);
  return true;
}

bool add_session(Body& body, std::string_view name) {
  body.text(Field::session, name);
  return !name.empty();
}

struct StartWord {
  std::string_view name;
  std::string_view example;
  bool (*add)(Body& body, std::string_view value);
};
constexpr std::array kWords = {
    StartWord{"events", "calls,gc", add_events}, StartWord{"duration", "10s", add_duration},
    StartWord{"limit", "100m", add_limit}, StartWord{"session", "name", add_session}};

// Adds `words` to the body of START. Gives what is wrong with them, "" for nothing.
std::string add_start(Body& body, std::span<const std::string> words) {
  for (const std::string_view word : words) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const auto known = std::ranges::find(kWords, word.substr(0, equals), &StartWord::name);
    if (known == kWords.end() || equals == word.size())
      return fmt::format("start takes events=, duration=, limit=, session=; not \"{}\"", word);
    if (!known->add(body, word.substr(equals + 1)))
      return fmt::format("\"{}\" says no {}; one is {}={}", word, known->name, known->name,
                         known->example);
  }
  return {};
}

// What is wrong with a question before anybody is asked; "" for nothing. Fills the body of START.
std::string fault_of(const ControlQuestion& question, const Action* action, Body& body) {
  const std::string& command = question.command;
  if (action == nullptr)
    return fmt::format("no command \"{}\"{}", command, did_you_mean(command, control_commands()));
  if (question.arguments.size() > action->arguments)
    return fmt::format("{} takes no \"{}\"", command, question.arguments.back());
  if (action->arguments == 1 && question.arguments.empty() && action->message != Message::heap_dump)
    return fmt::format("{} needs an argument", command);
  return action->message == Message::start ? add_start(body, question.arguments) : "";
}

base::result<void> connect_to(Client& client, const std::string& target) {
  if (const auto process = parse_number<unsigned>(target))
    return client.connect_process(static_cast<pid_t>(*process));
  if (!target.starts_with(':')) return client.connect_path(target);
  const auto port = parse_number<unsigned>(std::string_view(target).substr(1));
  if (port && *port > 0 && *port < 65536)
    return client.connect_port(static_cast<std::uint16_t>(*port));
  return base::fail(base::Code::open_failed, "is no port");
}

base::result<Welcome> greet_agent(Client& client, const Action& action,
                                  const std::string& token_file) {
  const std::string token = token_file.empty() ? "" : agent::control::read_token_file(token_file);
  auto welcome = client.greet({{}, action.controls, token});
  const bool is_enough =
      !action.controls || !welcome || welcome->right == agent::control::Right::control;
  if (is_enough) return welcome;
  return base::fail(base::Code::open_failed,
                    "another client controls this agent, or it lets nobody");
}

// `body` holds what START says.
base::result<Answer> command_agent(Client& client, const Action& action,
                                   const std::vector<std::string>& arguments, Body& body) {
  if (action.message == Message::set_filters) return client.set_filters(arguments);
  const std::string_view argument = arguments.empty() ? std::string_view() : arguments[0];
  const std::size_t equals = std::min(argument.find('='), argument.size());
  if (action.message == Message::set_option) {
    body.text(Field::name, argument.substr(0, equals));
    body.text(Field::value, argument.substr(std::min(equals + 1, argument.size())));
  }
  if (action.message == Message::heap_dump && !argument.empty()) body.text(Field::name, argument);
  if (action.message == Message::annotate) body.text(Field::text, argument);
  return client.command(action.message, body, action.patience_ms);
}

}  // namespace

std::vector<std::string> control_commands() {
  std::vector<std::string> names;
  for (const Action& action : kActions) names.emplace_back(action.name);
  return names;
}

Asked<Steered> steer(const ControlQuestion& question) {
  const Action* action = find_action(question.command);
  Body body;
  if (std::string fault = fault_of(question, action, body); !fault.empty())
    return refuse(base::Error{base::Code::usage, {}, std::move(fault)});
  Client client;
  if (const auto connected = connect_to(client, question.target); !connected)
    return refuse(connected.error(), question.target);
  auto welcome = greet_agent(client, *action, question.token_file);
  if (!welcome) return refuse(welcome.error(), question.target);
  auto answer = command_agent(client, *action, question.arguments, body);
  if (!answer) return refuse(answer.error(), question.target);
  return Steered{std::move(*welcome), std::move(*answer)};
}

base::result<void> stop_recording(pid_t process) {
  const auto answer = agent::control::stop_recording(process);
  if (!answer) return base::Unexpected(answer.error());
  using agent::control::Outcome;
  // It may have ended by itself meanwhile.
  if (answer->outcome == Outcome::ok || answer->outcome == Outcome::wrong_state) return {};
  return base::fail(base::Code::open_failed, answer->text);
}

std::string control_json(std::string_view command, const Steered& steered) {
  const auto& [welcome, answer] = steered;
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.control/1");
  json.member("command", command);
  json.member("outcome", name_of(answer.outcome));
  json.member("state", name_of(answer.state));
  json.member("message", answer.text);
  json.member("process", welcome.process);
  json.member("runtime", welcome.runtime);
  json.member("agent", welcome.agent);
  json.key("figures");
  json.begin_object();
  for (const agent::control::Counter& figure : answer.figures)
    json.member(figure.name, figure.value);
  json.end_object();
  json.end_object();
  return out + '\n';
}

}  // namespace polytrace::service
