// SPDX-License-Identifier: Apache-2.0
#include "service/states/ask_state.hpp"

#include "base/codes.hpp"
#include "history/bundle.hpp"
#include "service/states/state_cache.hpp"

namespace polytrace::service {
namespace {

// Whether it is what was asked for that is wrong, not the history.
bool is_question(const base::Error& error) {
  return error.code == base::Code::usage || error.code == base::Code::key_unknown ||
         error.code == base::Code::time_outside;
}

// The history is in `folder`.
base::result<Moment> moment_of(std::shared_ptr<const history::History> history,
                               const StateQuestion& question, const std::string& folder) {
  const auto at = tick_of(question.at, history->facts(), history->facts().start);
  if (!at) return base::Unexpected(at.error());
  const auto keys = choose_keys(*history, question.keys);
  if (!keys) return base::Unexpected(keys.error());
  auto states = StateTree::take(*history, *at, *keys, history::load_notes(folder));
  if (!states) return base::Unexpected(states.error());
  const bool names_them = !question.keys.paths.empty() || !question.keys.keys.empty();
  const std::uint64_t left_out = question.ended || names_them ? 0 : states->leave_out_ended();
  return Moment{std::move(history), *at, std::move(*states), left_out};
}

std::shared_ptr<const history::History> shared(history::History&& history) {
  return std::make_shared<history::History>(std::move(history));
}

StateAnswer build_and_answer(const Input& input, const StateQuestion& question, StateCache& cache) {
  auto built = build_states(input, {cache.draft(), history::Layout::segmented, true});
  if (!built) return {cache.trouble(), {}, refuse(built.error().error, input.name())};
  // A partial answer is told each time, so it is made each time. A draft that becomes the cache's
  // is open meanwhile: somebody else may replace it at once.
  const bool whole = built->reading.passed.is_clean() && built->made.notices.exit_code() == 0;
  auto opened = history::History::open(history::file_in(cache.draft(), history::kHistoryFile));
  if (!opened) return {cache.trouble(), std::move(*built), refuse(opened.error(), cache.draft())};
  auto moment = moment_of(shared(std::move(*opened)), question, cache.draft());
  if (whole) cache.fill();
  if (!moment) return {cache.trouble(), std::move(*built), refuse(moment.error(), input.name())};
  return {cache.trouble(), std::move(*built), std::move(*moment)};
}

}  // namespace

StateAnswer ask_state(const Input& input, const StateQuestion& question) {
  StateCache cache(input.name(), question.cache, question.keep);
  if (auto kept = cache.find()) {
    auto moment = moment_of(shared(std::move(*kept)), question, cache.folder());
    if (moment) return {{}, {}, std::move(*moment)};
    if (is_question(moment.error())) return {{}, {}, refuse(moment.error(), input.name())};
    // Damage that shows now: it is made again.
  }
  return build_and_answer(input, question, cache);
}

std::string state_json(const std::string& file, const Moment& moment, bool nulls) {
  std::string out;
  base::JsonWriter json(out);
  const history::Facts& facts = moment.history->facts();
  json.begin_object();
  json.member("schema", "polytrace.state/1");
  json.member("file", file);
  json.member("time", moment.at);
  json.member("start", facts.start);
  json.member("end", facts.end);
  json.member("ended_threads_left_out", moment.ended_left_out);
  json.key("states");
  moment.states.write(json, nulls);
  json.end_object();
  return out + '\n';
}

}  // namespace polytrace::service
