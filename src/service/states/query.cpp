// SPDX-License-Identifier: Apache-2.0
#include "service/states/query.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "history/files/json_file.hpp"
#include "service/selection/times.hpp"
#include "service/states/state_tree.hpp"
#include "service/words/numbers.hpp"

namespace polytrace::service {

using base::result;
using history::Facts;
using history::History;
using history::Interval;
using history::Key;
using history::Tick;

std::string path_text(const History& history, Key key) {
  const auto path = history.path(key);
  return path ? "/" + *path : fmt::format("key {}", key);
}

// Times are counted in nanoseconds there, in ticks here.
result<Tick> tick_of(const std::string& text, const Facts& facts, Tick from) {
  constexpr std::uint64_t kNanoseconds = 1'000'000'000;
  const auto point = parse_time_point(text);
  if (!point) return base::Unexpected(point.error());
  const bool plain =
      point->against == TimePoint::Against::clock || point->against == TimePoint::Against::share;
  if (!plain && facts.ticks_per_second != kNanoseconds)
    return base::fail(base::Code::usage,
                      fmt::format("\"{}\": a tick of this history is no nanosecond; give ticks or "
                                  "a share",
                                  text));
  Overview overview;
  overview.first = facts.start;
  overview.last = facts.end;
  if (facts.clock_offset) {
    overview.wall_at = facts.start;
    if (__builtin_add_overflow(facts.start, *facts.clock_offset, &overview.wall))
      overview.wall = base::kNoTime;
  }
  return resolve(*point, overview, from);
}

result<std::vector<Key>> choose_keys(const History& history, const KeyOptions& options) {
  if (options.paths.empty() && options.keys.empty()) {
    const auto all = history.keys();
    return std::vector<Key>(all.begin(), all.end());
  }
  std::vector<Key> chosen = options.keys;
  for (const std::string& path : options.paths) {
    if (const auto key = history.key(path)) {
      chosen.push_back(*key);
      continue;
    }
    std::size_t found = 0;
    for (const history::Tree::Node node : history.tree().match(path)) {
      const Key key = history.tree().key(node);
      if (!history.knows(key)) continue;
      chosen.push_back(key);
      ++found;
    }
    if (found == 0) return base::fail(base::Code::key_unknown, path);
  }
  for (const Key key : options.keys)
    if (!history.knows(key)) return base::fail(base::Code::key_unknown, fmt::format("key {}", key));
  std::ranges::sort(chosen);
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

namespace {

std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return word;
}

base::Unexpected wrong(std::string_view line, std::string_view what) {
  return base::fail(base::Code::usage, fmt::format("\"{}\": {}", line, what));
}

result<std::uint64_t> count_of(std::string_view word) {
  const auto count = parse_number<std::uint64_t>(word);
  if (count.value_or(0) == 0) return wrong(word, "no number of samples");
  return *count;
}

// N times from the first to the last, both included.
std::vector<Tick> spread(Tick from, Tick to, std::uint64_t count) {
  std::vector<Tick> times;
  const auto span = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  for (std::uint64_t i = 0; i < count; ++i) {
    __extension__ using Wide = unsigned __int128;
    const auto part = count == 1 ? 0 : static_cast<std::uint64_t>(Wide{span} * i / (count - 1));
    times.push_back(static_cast<Tick>(static_cast<std::uint64_t>(from) + part));
  }
  return times;
}

}  // namespace

result<Query> parse_query(std::string_view line, const History& history, KeyOptions keys) {
  const std::string_view whole = line;
  const history::Facts& facts = history.facts();
  Query query;
  const std::string_view what = take_word(line);
  if (what == "range") query.what = Query::What::range;
  else if (what == "samples") query.what = Query::What::samples;
  else if (what != "at") return wrong(whole, "a query begins with at, range or samples");
  if (query.what == Query::What::samples) {
    const auto count = count_of(take_word(line));
    if (!count) return base::Unexpected(count.error());
    query.samples = *count;
  }
  const auto from = tick_of(std::string(take_word(line)), facts, facts.start);
  if (!from) return base::Unexpected(from.error());
  query.from = query.to = *from;
  if (query.what != Query::What::at) {
    const auto to = tick_of(std::string(take_word(line)), facts, *from);
    if (!to) return base::Unexpected(to.error());
    query.to = *to;
  }
  if (query.what == Query::What::samples && query.to < query.from)
    return wrong(whole, "the last sample comes before the first");
  if (!line.empty()) keys.paths.emplace_back(line);
  auto chosen = choose_keys(history, keys);
  if (!chosen) return base::Unexpected(chosen.error());
  query.keys = std::move(*chosen);
  return query;
}

result<void> ask(const History& history, const Query& query, history::Visitor visit) {
  switch (query.what) {
    case Query::What::range: return history.range(query.keys, query.from, query.to, visit);
    case Query::What::samples:
      return history.sampled(query.keys, spread(query.from, query.to, query.samples), visit);
    case Query::What::at: break;
  }
  if (query.keys.size() == history.facts().keys) return history.full(query.from, visit);
  for (const Key key : query.keys) {
    const auto found = history.at(query.from, key);
    if (!found) return base::Unexpected(found.error());
    if (*found && !visit(**found)) return {};
  }
  return {};
}

namespace {

result<void> answer_line(const History& history, std::string_view line, std::uint64_t number,
                         StateTable& table) {
  const auto query = parse_query(line, history);
  auto done = query ? ask(history, *query, [&](const Interval& one) { table.add(one, number); })
                    : result<void>(base::Unexpected(query.error()));
  if (!done) done.error().detail = fmt::format("line {}: {}", number, done.error().detail);
  return done;
}

// What follows a # at the beginning of a line is for people.
void answer_lines(const History& history, std::string_view text, StateTable& table,
                  std::vector<base::Error>& refused) {
  std::uint64_t number = 0;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number;
    if (line.find_first_not_of(" \t") == line.npos || line.starts_with('#')) continue;
    if (const auto done = answer_line(history, line, number, table); !done)
      refused.push_back(done.error());
  }
}

result<void> answer_options(const History& history, const HistoryQuestion& question,
                            StateTable& table) {
  std::string words = "at " + question.at;
  if (question.samples != 0)
    words = fmt::format("samples {} {} {}", question.samples, question.from, question.to);
  else if (!question.from.empty()) words = fmt::format("range {} {}", question.from, question.to);
  const auto query = parse_query(words, history, question.keys);
  if (!query) return base::Unexpected(query.error());
  return ask(history, *query, [&](const Interval& one) { table.add(one, 1); });
}

}  // namespace

result<HistoryAnswer> ask_history(const History& history, const HistoryQuestion& question) {
  const bool is_file = !question.batch.empty();
  HistoryAnswer answer;
  StateTable table(history, question.limit, is_file);
  if (is_file) {
    base::Notices notices;
    const auto text = history::load_text(question.batch, notices);
    if (!text) return base::Unexpected(text.error());
    answer.notices = notices.sorted();
    answer_lines(history, *text, table, answer.refused);
  } else if (auto done = answer_options(history, question, table); !done) {
    return base::Unexpected(done.error());
  }
  answer.states = table.take();
  return answer;
}

}  // namespace polytrace::service
