// SPDX-License-Identifier: Apache-2.0
#include "service/trace/waits.hpp"

#include <fmt/format.h>

#include "server/answers/ask.hpp"

namespace polytrace::server {
namespace {

using service::LockWait;

constexpr std::uint64_t kUsualLimit = 1000;

struct WaitsAsked {
  Part part{};
  std::uint64_t limit = kUsualLimit;
};

WaitsAsked read_waits_asked(Ask& ask, Members members) {
  WaitsAsked question{.part = read_selection(ask, members)};
  if (!question.part.rules.empty())
    members.complain("selection", "has rules, which this does not follow");
  question.limit = members.count("limit", kUsualLimit);
  return question;
}

void write_holders(base::JsonWriter& json, const LockWait& wait) {
  json.key("holders");
  json.begin_array();
  for (const LockWait::Holder& holder : wait.holders) {
    json.begin_object();
    json.member("thread", holder.thread);
    json.member("from", holder.from);
    json.member("to", holder.to);
    json.member("sure", holder.is_sure);
    json.end_object();
  }
  json.end_array();
}

void write_wait(base::JsonWriter& json, const service::IndexedTrace& trace, const LockWait& wait) {
  json.begin_object();
  json.member("waiter", wait.thread);
  json.member("lock", fmt::format("{:#x}", wait.lock));
  json.key("class");
  if (wait.class_name.empty()) json.null();
  else json.value(wait.class_name);
  json.member("start", wait.start);
  json.member("end", wait.end);
  json.member("open", wait.is_open);
  json.member("got_it", wait.got_it);
  json.key("site");
  if (wait.method == store::kNoMethod) json.null();
  else json.value(trace.method_name(wait.method));
  json.key("method");
  if (wait.method == store::kNoMethod) json.null();
  else json.value(wait.method);
  write_holders(json, wait);
  json.end_object();
}

}  // namespace

Answered answer_waits(Ask& ask) {
  const WaitsAsked question = read_waits_asked(ask, ask.body.members());
  if (!ask.body.fault().empty()) return wrong(ask.body.fault());
  const auto made = service::lock_waits(ask.trace(), question.part, question.limit);
  if (!made) return tl::unexpected(fault_reply(made.error()));
  AnswerJson answer("waits", From::rare);
  answer.selection(question.part);
  answer.json().key("waits");
  answer.json().begin_array();
  for (const LockWait& wait : made->waits) write_wait(answer.json(), ask.trace(), wait);
  answer.json().end_array();
  answer.json().member("left_out", made->left_out);
  return answer.take(ask.trace().is_partial());
}

}  // namespace polytrace::server
