// SPDX-License-Identifier: Apache-2.0
#include "server/answers/calls_json.hpp"

namespace polytrace::server {
namespace {

using service::CallDetail;

constexpr std::size_t kMostCallers = 200;

// A call by its name, or by where it stands: in a track at a time, a row or the innermost.
struct AtAsked {
  std::optional<service::CallAddress> call{};
  std::uint32_t thread = 0;
  std::int64_t time = 0;
  std::optional<std::int64_t> row{};
};

AtAsked read_at_asked(const Ask& ask, Members members) {
  AtAsked question;
  if (members.has("call")) {
    question.call = service::parse_call_address(members.text("call"));
    if (!question.call) members.complain("call", "names no call");
    return question;
  }
  const std::uint64_t track = members.count("track", 0);
  const auto& tracks = ask.tracks().all;
  if (track >= tracks.size() || tracks[track].kind != "calls")
    members.complain("track", "is no track of calls");
  else question.thread = tracks[track].thread.value_or(0);
  const auto time = members.integer("time");
  if (!time) members.complain("time", "is needed");
  question.time = time.value_or(0);
  question.row = members.integer("depth");
  return question;
}

// The call that is meant, if there is one.
base::result<std::optional<store::SliceId>> meant(const Ask& ask, const AtAsked& question) {
  if (question.call) return service::find_call(ask.trace(), *question.call);
  const auto open = service::calls_at(ask.trace(), question.thread, question.time);
  if (!open) return base::Unexpected(open.error());
  const auto row = question.row.value_or(static_cast<std::int64_t>(open->size()) - 1);
  if (row < 0 || row >= static_cast<std::int64_t>(open->size())) return std::nullopt;
  return (*open)[static_cast<std::size_t>(row)];
}

// The nearest of them, outermost first.
base::result<void> write_callers(base::JsonWriter& json, const Ask& ask, store::SliceId id) {
  const auto call = ask.trace().store().call(id);
  if (!call) return base::Unexpected(call.error());
  const std::size_t left = call->callers.size() - std::min(call->callers.size(), kMostCallers);
  json.key("callers");
  json.begin_array();
  for (std::size_t i = left; i < call->callers.size(); ++i) {
    const auto facts =
        service::call_facts(ask.trace(), call->callers[i].call, CallDetail::place, &ask.stop);
    if (!facts) return base::Unexpected(facts.error());
    write_call(json, ask, *facts);
  }
  json.end_array();
  json.member("callers_left_out", static_cast<std::uint64_t>(left));
  return {};
}

}  // namespace

Answered answer_at(Ask& ask) {
  const AtAsked question = read_at_asked(ask, ask.body.members());
  if (!ask.body.fault().empty()) return wrong(ask.body.fault());
  const auto id = meant(ask, question);
  if (!id) return tl::unexpected(fault_reply(id.error()));
  AnswerJson answer("at", From::index);
  answer.json().key("call");
  if (!*id) {
    answer.json().null();
    return answer.take(false);
  }
  const auto facts = service::call_facts(ask.trace(), **id, CallDetail::inside, &ask.stop);
  if (!facts) return tl::unexpected(fault_reply(facts.error()));
  write_call(answer.json(), ask, *facts);
  if (auto written = write_callers(answer.json(), ask, **id); !written)
    return tl::unexpected(fault_reply(written.error()));
  return answer.take(false);
}

}  // namespace polytrace::server
