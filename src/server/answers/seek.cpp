// SPDX-License-Identifier: Apache-2.0
#include "server/answers/calls_json.hpp"

namespace polytrace::server {
namespace {

struct SeekAsked {
  Part part{};
  std::vector<std::uint32_t> methods{};
  std::optional<std::int64_t> after{};
  std::optional<std::int64_t> before{};
};

SeekAsked read_seek_asked(Ask& ask, Members members) {
  SeekAsked question;
  question.part = read_selection(ask, members);
  if (!question.part.rules.empty())
    members.complain("selection", "has rules, which this does not follow");
  question.methods = members.indexes("methods");
  question.after = members.integer("after");
  question.before = members.integer("before");
  if (question.after.has_value() == question.before.has_value())
    members.complain("after", "or \"before\" is needed, and one of them only");
  return question;
}

}  // namespace

Answered answer_seek(Ask& ask) {
  const SeekAsked question = read_seek_asked(ask, ask.body.members());
  if (!ask.body.fault().empty()) return wrong(ask.body.fault());
  store::Range range = service::range_of(ask.trace(), question.part);
  if (question.after)
    range.from = std::max(range.from, base::tick_after(ask.trace().at(*question.after), 1));
  if (question.before) range.to = std::min(range.to, ask.trace().at(*question.before));
  const auto found = ask.trace().store().seek(
      question.methods, range,
      question.after ? store::Direction::next : store::Direction::previous);
  if (!found) return tl::unexpected(fault_reply(found.error()));
  AnswerJson answer("seek", From::index);
  answer.selection(question.part);
  answer.json().key("call");
  if (*found) {
    const auto facts =
        service::call_facts(ask.trace(), (*found)->call, service::CallDetail::inside, &ask.stop);
    if (!facts) return tl::unexpected(fault_reply(facts.error()));
    write_call(answer.json(), ask, *facts);
  } else {
    answer.json().null();
  }
  return answer.take(false);
}

}  // namespace polytrace::server
