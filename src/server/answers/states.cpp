// SPDX-License-Identifier: Apache-2.0
#include "server/answers/ask.hpp"
#include "service/states/ask_state.hpp"
#include "service/states/histories.hpp"
#include "store/file/cache_folder.hpp"

namespace polytrace::server {
namespace {

constexpr std::uint64_t kMostStatePoints = 100'000;

service::HistoryQuestion read_states_asked(const Ask& ask, Members members) {
  service::HistoryQuestion question;
  question.keys.paths = members.texts("path");
  for (const std::uint32_t key : members.indexes("keys")) question.keys.keys.push_back(key);
  const auto from = members.integer("from"), to = members.integer("to");
  if (!from || !to || *to <= *from) members.complain("to", "is not behind \"from\"");
  question.from = std::to_string(ask.trace().at(from.value_or(0)));
  question.to = std::to_string(ask.trace().at(to.value_or(1) - 1));
  question.samples = members.count("points", 0, kMostStatePoints);
  question.limit = members.count("limit", kMostLimit);
  return question;
}

}  // namespace

// Times of the answer are the trace's own clock, as those of the command.
Answered answer_states(Ask& ask) {
  service::HistoryQuestion question = read_states_asked(ask, ask.body.members());
  if (!ask.body.fault().empty()) return wrong(ask.body.fault());
  // Some moment that any history has: what is wanted is the history.
  service::StateQuestion any{.at = "0%", .keys = question.keys, .cache = store::cache_root()};
  any.keep = !ask.offers.options.index.none;
  const auto input = ask.trace().input(&ask.stop);
  const service::StateAnswer made = service::ask_state(*input, any);
  if (!made.moment) return tl::unexpected(fault_reply(made.moment.error()));
  const auto answer = service::ask_history(*made.moment->history, question);
  if (!answer) return tl::unexpected(fault_reply(answer.error()));
  return Reply{.body = service::states_json(ask.trace().file(), answer->states)};
}

}  // namespace polytrace::server
