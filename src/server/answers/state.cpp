// SPDX-License-Identifier: Apache-2.0
#include "server/answers/ask.hpp"
#include "service/states/ask_state.hpp"
#include "service/words/numbers.hpp"
#include "store/file/cache_folder.hpp"

namespace polytrace::server {

// Times of the answer are the trace's own clock, as those of the command.
Answered answer_state(Ask& ask) {
  const auto told = ask.query.value("at");
  service::StateQuestion question{.cache = store::cache_root()};
  question.keys.paths = ask.query.values("path");
  const auto at = told ? service::parse_number<std::int64_t>(*told) : std::nullopt;
  if (!at) return wrong("\"at\" is no offset");
  question.at = std::to_string(ask.trace().at(*at));
  question.keep = !ask.offers.options.index.none;
  const auto input = ask.trace().input(&ask.stop);
  const service::StateAnswer made = service::ask_state(*input, question);
  if (!made.moment) return tl::unexpected(fault_reply(made.moment.error()));
  return Reply{.body = service::state_json(ask.trace().file(), *made.moment, false)};
}

}  // namespace polytrace::server
