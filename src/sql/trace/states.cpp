// SPDX-License-Identifier: Apache-2.0
#include "sql/trace/states.hpp"

#include "base/codes.hpp"

namespace polytrace::sql {

base::result<HistoryPointer> states_of(const Trace& trace, const std::atomic<bool>* stop) {
  if (trace.facts().derived == nullptr)
    return base::fail(base::Code::query_wrong, "there are no states of this trace");
  return trace.facts().derived->states(stop);
}

std::vector<history::Key> timelines_of(const history::History& history, std::string_view pattern) {
  if (pattern.empty()) return {history.keys().begin(), history.keys().end()};
  if (const auto key = history.key(pattern)) return {*key};
  std::vector<history::Key> keys;
  for (const history::Tree::Node node : history.tree().match(pattern))
    if (const history::Key key = history.tree().key(node); history.knows(key)) keys.push_back(key);
  std::ranges::sort(keys);
  keys.erase(std::ranges::unique(keys).begin(), keys.end());
  return keys;
}

std::uint64_t lasted(const history::History& history, const history::Interval& state) {
  const std::uint64_t ticks = base::elapsed(state.start, state.end);
  return state.end == history.facts().end ? ticks : ticks + 1;
}

Value value_of(const history::Value& value) {
  switch (value.type()) {
    case history::Type::boolean: return Value::of(value.truth());
    case history::Type::integer: return Value::of(value.integer());
    case history::Type::real: return Value::of(value.real());
    case history::Type::string: return Value::of(value.text());
    default: return {};
  }
}

}  // namespace polytrace::sql
