// SPDX-License-Identifier: Apache-2.0
#include "cli/history/query_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "cli/frame/numbers.hpp"

namespace polytrace::cli {

using base::result;
using history::History;
using history::Interval;
using history::Key;
using history::Tick;

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

}  // namespace polytrace::cli
