// SPDX-License-Identifier: Apache-2.0
#include "service/ask/events.hpp"

#include "server/answers/ask.hpp"

namespace polytrace::server {
namespace {

constexpr std::uint64_t kMostEvents = 1000;

struct EventsAsked {
  Part part{};
  service::EventsQuestion events{};
};

EventsAsked read_events_asked(Ask& ask, Members members) {
  EventsAsked question;
  question.part = read_selection(ask, members);
  if (!question.part.rules.empty())
    members.complain("selection", "has rules, which this does not follow");
  question.events.chosen = service::selection_of(ask.trace(), question.part);
  question.events.form = service::EventsQuestion::Form::json_lines;
  for (const std::string& kind : members.texts("kinds")) {
    if (!question.events.kinds.empty()) question.events.kinds += ',';
    question.events.kinds += kind;
  }
  question.events.limit = members.count("limit", 100, kMostEvents);
  if (question.events.limit == 0) members.complain("limit", "is not between 1 and 1000");
  if (auto after = members.object("after"))
    question.events.skip = after->count("number", 0, std::numeric_limits<std::int64_t>::max());
  return question;
}

}  // namespace

// JSON Lines, as they are printed. What to ask for next stands in a field of the reply's head.
Answered answer_events(Ask& ask) {
  const EventsAsked question = read_events_asked(ask, ask.body.members());
  if (!ask.body.fault().empty()) return wrong(ask.body.fault());
  const auto input = ask.trace().input(&ask.stop);
  Reply reply{.type = "application/x-ndjson"};
  const service::EventLines lines{reply.body, [] { return true; }};
  const auto made = service::ask_events(*input, question.events, lines);
  if (!made) return tl::unexpected(fault_reply(made.error()));
  reply.fields.push_back({"Polytrace-Next", std::to_string(question.events.skip + made->printed)});
  return reply;
}

}  // namespace polytrace::server
