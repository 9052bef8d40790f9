// SPDX-License-Identifier: Apache-2.0
#include "service/trace/durations.hpp"

#include "server/answers/calls_json.hpp"

namespace polytrace::server {
namespace {

using base::JsonWriter;
using service::MethodDurations;

constexpr std::size_t kMostMethods = 64;
constexpr std::size_t kSlowest = 20;

struct DurationsAsked {
  Part part{};
  std::vector<std::uint32_t> methods{};
};

DurationsAsked read_durations_asked(Ask& ask, Members members) {
  DurationsAsked question;
  question.part = read_selection(ask, members);
  if (!question.part.rules.empty())
    members.complain("selection", "has rules, which this does not follow");
  question.methods = members.indexes("methods");
  if (question.methods.size() > kMostMethods) members.complain("methods", "has more than 64");
  return question;
}

void write_sketch(JsonWriter& json, const store::Durations& all) {
  json.member("least", all.least);
  json.member("p50", all.sketch.quantile(50));
  json.member("p95", all.sketch.quantile(95));
  json.member("p99", all.sketch.quantile(99));
  json.member("most", all.most);
  json.member("sum", all.sum);
}

base::result<void> write_timed(JsonWriter& json, const Ask& ask, const store::TimedCall& call) {
  const auto facts =
      service::call_facts(ask.trace(), call.call, service::CallDetail::place, &ask.stop);
  if (!facts) return base::Unexpected(facts.error());
  write_call(json, ask, *facts);
  return {};
}

base::result<void> write_method(JsonWriter& json, const Ask& ask, const MethodDurations& made) {
  json.begin_object();
  json.member("method", made.method);
  json.member("name", ask.trace().method_name(made.method));
  json.member("calls", made.all.calls);
  if (made.all.calls != 0) write_sketch(json, made.all);
  json.key("slowest");
  json.begin_array();
  for (const store::TimedCall& call : made.all.slowest)
    if (auto written = write_timed(json, ask, call); !written) return written;
  json.end_array();
  json.key("median");
  if (!made.median) json.null();
  else if (auto written = write_timed(json, ask, *made.median); !written) return written;
  json.end_object();
  return {};
}

}  // namespace

Answered answer_durations(Ask& ask) {
  const DurationsAsked question = read_durations_asked(ask, ask.body.members());
  if (!ask.body.fault().empty()) return wrong(ask.body.fault());
  AnswerJson answer("durations", From::index);
  answer.selection(question.part);
  answer.json().key("methods");
  answer.json().begin_array();
  for (const std::uint32_t method : question.methods) {
    const auto made = service::method_durations(ask.trace(), method, question.part, kSlowest);
    if (!made) return tl::unexpected(fault_reply(made.error()));
    if (auto written = write_method(answer.json(), ask, *made); !written)
      return tl::unexpected(fault_reply(written.error()));
  }
  answer.json().end_array();
  return answer.take(false);
}

}  // namespace polytrace::server
