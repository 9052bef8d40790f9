// SPDX-License-Identifier: Apache-2.0
#include "history/oracle.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace polytrace::history::test {

Value Owned::view() const { return Value::from(type, bits, text); }

std::string to_text(const Span& span) {
  return fmt::format("{} {}..{} {} {:x} '{}'", span.key, span.start, span.end,
                     name(span.value.type), span.value.bits, span.value.text.substr(0, 40));
}

void PrintTo(const Span& span, std::ostream* out) { *out << to_text(span); }

void Oracle::modify(Tick t, Key key, const Value& value) {
  Begin begin{Owned::of(value)};
  if (value.is_null() && none_.contains(key)) begin.value.reset();
  lines_[key].begins[t] = begin;
}

void Oracle::end(Tick t, Key key) { lines_[key].begins[t] = {std::nullopt}; }

void Oracle::insert(Key key, Tick start, Tick end, const Value& value) {
  Line& line = lines_[key];
  if (line.begins.empty() && start > start_) line.inserted_first = true;
  line.begins[start] = {Owned::of(value), true};
  if (none_.contains(key) && value.is_null()) line.begins[start].value.reset();
  if (end != INT64_MAX) line.begins[end + 1] = {std::nullopt};
}

std::vector<Span> Oracle::spans(Key key, const Line& line) const {
  std::vector<Span> all;
  std::optional<Owned> held = Owned{};
  if (line.inserted_first || none_.contains(key)) held.reset();
  Tick since = start_;
  const auto close = [&](Tick end) {
    if (held) all.push_back({key, since, end, *held});
  };
  for (const auto& [t, begin] : line.begins) {
    if (t > end_) break;
    if (begin.value == held && !begin.kept && t != start_) continue;
    if (t > start_) close(t - 1);
    held = begin.value;
    since = t;
  }
  close(end_);
  return all;
}

std::vector<Span> Oracle::all(Key key) const { return spans(key, lines_.at(key)); }

std::vector<Span> Oracle::range(Key key, Tick from, Tick to) const {
  std::vector<Span> some = all(key);
  const Tick low = std::min(from, to);
  const Tick high = std::max(from, to);
  std::erase_if(some, [&](const Span& span) { return span.end < low || span.start > high; });
  if (from > to) std::ranges::reverse(some);
  return some;
}

std::optional<Span> Oracle::at(Tick t, Key key) const {
  const auto some = range(key, t, t);
  if (some.empty()) return std::nullopt;
  return some[0];
}

std::vector<Span> Oracle::full(Tick t) const {
  std::vector<Span> some;
  for (const auto& [key, line] : lines_) {
    if (auto span = at(t, key)) some.push_back(*span);
  }
  return some;
}

std::vector<Span> Oracle::sampled(Key key, const std::vector<Tick>& times) const {
  std::vector<Span> some = all(key);
  std::erase_if(some, [&](const Span& span) {
    return std::ranges::none_of(times, [&](Tick t) { return span.start <= t && t <= span.end; });
  });
  return some;
}

std::vector<Key> Oracle::keys() const {
  std::vector<Key> keys;
  for (const auto& [key, line] : lines_) keys.push_back(key);
  return keys;
}

Span span_of(const Interval& interval) {
  return {interval.key, interval.start, interval.end, Owned::of(interval.value)};
}

std::vector<Span> all_of(const History& history, Key key) {
  std::vector<Span> all;
  const auto done = history.range(key, history.facts().start, history.facts().end,
                                  [&](const Interval& i) { all.push_back(span_of(i)); });
  EXPECT_TRUE(done) << base::to_text(done.error());
  return all;
}

}  // namespace polytrace::history::test
