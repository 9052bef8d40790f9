// SPDX-License-Identifier: Apache-2.0
#include "history/random_history.hpp"
#include "base/codes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <random>

namespace polytrace::history::test {
namespace {

using testing::ElementsAreArray;

Builder create(const std::string& path, const Shape& shape) {
  auto builder = Builder::create(
      path,
      {.start = shape.start, .layout = shape.layout, .changes_per_segment = shape.per_segment});
  if (!builder) throw std::runtime_error(base::to_text(builder.error()));
  return std::move(*builder);
}

constexpr std::array kTypes{Type::integer, Type::string, Type::boolean, Type::real,
                            Type::bytes,   Type::any,    Type::none,    Type::integer};

}  // namespace

RandomHistory::RandomHistory(const std::string& path, const Shape& shape)
    : shape_(shape),
      random_(shape.seed),
      builder_(create(path, shape)),
      oracle_(shape.start),
      now_(shape.start) {
  for (unsigned i = 0; i < shape.keys / 2; ++i) add_key(i);
}

void RandomHistory::add_key(unsigned i) {
  const Key key = shape_.sparse ? static_cast<Key>(random_() % kNoKey)
                                : builder_.key({i % 2 == 0 ? "even" : "odd", std::to_string(i)});
  const Type type = kTypes[i % kTypes.size()];
  lines_.push_back({key, type, i % 3 == 1, false, shape_.start});
  // Some types are declared; of the others, the first value tells.
  if (i % 4 < 2 || type == Type::any || type == Type::none) {
    ASSERT_TRUE(builder_.declare(key, type));
    if (type == Type::none) oracle_.set_none(key);
  }
  for (const Key known : builder_.keys()) oracle_.touch(known);
}

Value RandomHistory::any_value(Type type) {
  if (type == Type::any) type = kTypes[below(4)];
  switch (type) {
    case Type::integer: {
      constexpr std::array kOdd{INT64_MIN, INT64_MAX, std::int64_t{-1}, std::int64_t{0}};
      if (below(50) == 0) return Value::of(kOdd[below(kOdd.size())]);
      return Value::of(static_cast<std::int64_t>(below(9)) - 4);
    }
    case Type::real: {
      constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
      if (below(40) == 0) return Value::of(below(2) == 0 ? kNan : -0.0);
      if (below(40) == 0) return Value::of(std::bit_cast<double>(random_()));
      return Value::of(static_cast<double>(below(1000)) / 100);
    }
    case Type::boolean: return Value::of(below(2) == 0);
    case Type::none: return Value::exists();
    default:
      text_ = below(30) == 0 ? "" : "text " + std::to_string(below(64));
      return type == Type::bytes ? Value::bytes(text_) : Value::text(text_);
  }
}

void RandomHistory::pass() {
  if (below(3) == 0) return;
  const std::uint64_t room =
      static_cast<std::uint64_t>(INT64_MAX) - static_cast<std::uint64_t>(now_);
  now_ += static_cast<Tick>(std::min(below(shape_.longest_step) + 1, room));
}

void RandomHistory::insert(Line& line, Tick t) {
  if (line.touched && t <= line.last) {
    // Often right behind the one before.
    if (line.last >= now_) return;
    t = line.last + 1;
  }
  const std::uint64_t room = static_cast<std::uint64_t>(INT64_MAX) - static_cast<std::uint64_t>(t);
  const auto end = t + static_cast<Tick>(std::min(below(shape_.longest_step * 20), room));
  const Value value = below(16) == 0 ? Value::null() : any_value(line.type);
  if (auto done = builder_.insert(line.key, t, end, value); !done) {
    EXPECT_EQ(done.error().code, base::Code::time_backwards) << base::to_text(done.error());
    return;
  }
  oracle_.insert(line.key, t, end, value);
  line.last = end;
  line.touched = true;
}

void RandomHistory::change() {
  if (lines_.size() < shape_.keys && below(shape_.changes / shape_.keys) == 0)
    add_key(static_cast<unsigned>(lines_.size()));
  Line& line = lines_[below(lines_.size())];
  pass();
  const auto late = static_cast<Tick>(below(4) == 0 ? below(shape_.longest_step) : 0);
  const std::uint64_t age =
      static_cast<std::uint64_t>(now_) - static_cast<std::uint64_t>(shape_.start);
  Tick t = age > static_cast<std::uint64_t>(late) ? now_ - late : now_;
  if (line.inserts) return insert(line, t);
  t = std::max(t, line.last);
  if (below(40) == 0) {
    if (builder_.end(t, line.key)) oracle_.end(t, line.key), line.last = t;
    return;
  }
  const Value value = below(16) == 0 ? Value::null() : any_value(line.type);
  if (auto done = builder_.modify(t, line.key, value); !done) {
    EXPECT_EQ(done.error().code, base::Code::time_backwards) << base::to_text(done.error());
    return;
  }
  oracle_.modify(t, line.key, value);
  line.last = t;
}

void RandomHistory::feed(const std::function<void()>& each) {
  for (unsigned i = 0; i < shape_.changes; ++i) {
    change();
    oracle_.close(builder_.facts().end);
    each();
  }
}

void RandomHistory::close() {
  const Tick end = now_ == INT64_MAX ? now_ : now_ + 1;
  const auto closed = builder_.close(end);
  ASSERT_TRUE(closed) << base::to_text(closed.error());
  oracle_.close(builder_.facts().end);
}

namespace {

class Comparison {
 public:
  Comparison(const History& history, const Oracle& oracle, std::uint64_t seed)
      : history_(history), oracle_(oracle), keys_(oracle.keys()), random_(seed) {}

  void whole() {
    EXPECT_THAT(history_.keys(), ElementsAreArray(keys_));
    std::uint64_t intervals = 0;
    for (const Key key : keys_) {
      const auto all = oracle_.all(key);
      intervals += all.size();
      ASSERT_THAT(all_of(history_, key), ElementsAreArray(all)) << key;
    }
    if (history_.facts().complete && history_.facts().layout == Layout::segmented) {
      EXPECT_EQ(history_.facts().intervals, intervals);
    }
  }
  void points() {
    const Tick t = any_tick();
    std::vector<Span> all;
    ASSERT_TRUE(history_.full(t, [&](const Interval& i) { all.push_back(span_of(i)); }));
    EXPECT_THAT(all, ElementsAreArray(oracle_.full(t))) << t;
    const Key key = any_key();
    const auto one = history_.at(t, key);
    ASSERT_TRUE(one) << base::to_text(one.error());
    const auto expected = oracle_.at(t, key);
    ASSERT_EQ(one->has_value(), expected.has_value()) << key << " at " << t;
    if (expected) {
      EXPECT_EQ(span_of(**one), *expected);
    }
  }
  void ranges() {
    const Tick from = any_tick();
    const Tick to = any_tick();
    const Key key = any_key();
    std::vector<Span> some;
    ASSERT_TRUE(
        history_.range(key, from, to, [&](const Interval& i) { some.push_back(span_of(i)); }));
    EXPECT_THAT(some, ElementsAreArray(oracle_.range(key, from, to))) << from << " " << to;
  }
  void samples() {
    std::vector<Tick> times;
    for (unsigned i = 0; i < 8; ++i) times.push_back(any_tick());
    const std::array keys{any_key(), any_key()};
    std::vector<Span> some;
    ASSERT_TRUE(
        history_.sampled(keys, times, [&](const Interval& i) { some.push_back(span_of(i)); }));
    auto expected = oracle_.sampled(keys[0], times);
    if (keys[0] != keys[1])
      for (const Span& span : oracle_.sampled(keys[1], times)) expected.push_back(span);
    EXPECT_THAT(some, ElementsAreArray(expected));
  }
  // A change is where an interval or a gap begins, but the start is none.
  void changes() {
    const Key key = any_key();
    const Tick t = any_tick();
    std::set<Tick> all;
    for (const Span& span : oracle_.all(key)) {
      if (span.start != oracle_.start()) all.insert(span.start);
      if (span.end != oracle_.end()) all.insert(span.end + 1);
    }
    const auto after = all.upper_bound(t);
    const auto at = all.lower_bound(t);
    const auto next = history_.next_change(key, t);
    const auto before = history_.previous_change(key, t);
    ASSERT_TRUE(next && before);
    EXPECT_EQ(*next, after == all.end() ? std::nullopt : std::optional(*after)) << key << " " << t;
    EXPECT_EQ(*before, at == all.begin() ? std::nullopt : std::optional(*std::prev(at)));
  }

 private:
  // Often a bound of an interval or next to one.
  Tick any_tick() {
    const Tick start = oracle_.start();
    const auto length =
        static_cast<std::uint64_t>(oracle_.end()) - static_cast<std::uint64_t>(start);
    if (random_() % 2 == 0) {
      const auto all = oracle_.all(any_key());
      if (!all.empty()) return all[random_() % all.size()].start;
    }
    return static_cast<Tick>(static_cast<std::uint64_t>(start) +
                             (length + 1 == 0 ? random_() : random_() % (length + 1)));
  }
  Key any_key() { return keys_[random_() % keys_.size()]; }

  const History& history_;
  const Oracle& oracle_;
  std::vector<Key> keys_;
  std::mt19937_64 random_;
};

}  // namespace

void expect_same_answers(const History& history, const Oracle& oracle, std::uint64_t seed) {
  Comparison comparison(history, oracle, seed);
  comparison.whole();
  for (unsigned i = 0; i < 25 && !testing::Test::HasFailure(); ++i) {
    comparison.points();
    comparison.ranges();
    comparison.samples();
    comparison.changes();
  }
}

}  // namespace polytrace::history::test
