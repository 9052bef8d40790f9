// SPDX-License-Identifier: Apache-2.0
#include "history/model/interval_sorter.hpp"

#include <algorithm>
#include <random>
#include <tuple>

#include "base/codes.hpp"
#include "history/exchange.hpp"

namespace polytrace::history {
namespace {

class interval_sorter : public testing::TestWithParam<std::tuple<IntervalOrder, std::size_t>> {};

// The larger number needs several runs in the file.
TEST_P(interval_sorter, gives_all_intervals_in_order) {
  const auto [order, count] = GetParam();
  std::mt19937_64 engine(3);
  Texts texts;
  std::vector<Interval> expected;
  IntervalSorter sorter(order, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const auto start = static_cast<Tick>(engine() % 1'000'000);
    expected.push_back({.key = static_cast<Key>(engine() % 50),
                        .start = start,
                        .end = start + static_cast<Tick>(i),  // no two are equal
                        .value = test::random_value(Type::any, engine, texts)});
    ASSERT_TRUE(sorter.add(std::span(&expected.back(), 1)));
  }
  const bool by_key = order == IntervalOrder::by_key;
  std::ranges::sort(expected, {}, [&](const Interval& one) {
    return by_key ? std::tuple(Tick{one.key}, one.start, one.end)
                  : std::tuple(one.start, Tick{one.key}, one.end);
  });
  std::size_t at = 0;
  ASSERT_TRUE(sorter.deliver([&](std::span<const Interval> given) {
    for (const Interval& one : given) {
      if (at >= expected.size() || one != expected[at])
        return base::result<void>(base::fail(base::Code::usage));
      ++at;
    }
    return base::result<void>();
  })) << at;
  EXPECT_EQ(at, count);
}

INSTANTIATE_TEST_SUITE_P(sizes, interval_sorter,
                         testing::Combine(testing::Values(IntervalOrder::by_key,
                                                          IntervalOrder::by_time),
                                          testing::Values(0U, 1U, 5000U, 40'000U)));

TEST(interval_sorter_order, equal_intervals_stay_in_order_across_runs) {
  constexpr std::int64_t kCount = 60'000;  // several runs
  IntervalSorter sorter(IntervalOrder::by_time, 0);
  for (std::int64_t i = 0; i < kCount; ++i) {
    const Interval one{.key = static_cast<Key>(i % 2), .value = Value::of(i)};
    ASSERT_TRUE(sorter.add(std::span(&one, 1)));
  }
  std::int64_t next = 0;
  ASSERT_TRUE(sorter.deliver([&](std::span<const Interval> given) {
    for (const Interval& one : given) {
      EXPECT_EQ(one.value, Value::of(next));
      next += next == kCount - 2 ? 3 - kCount : 2;
    }
    return base::result<void>();
  }));
}

TEST(interval_sorter_limits, text_longer_than_the_memory_is_kept) {
  const std::string text(std::size_t{3} << 20, 'x');
  IntervalSorter sorter(IntervalOrder::by_key, 0);
  for (Key key = 3; key-- > 0;) {
    const Interval one{.key = key, .value = Value::text(text)};
    ASSERT_TRUE(sorter.add(std::span(&one, 1)));
  }
  Key next = 0;
  ASSERT_TRUE(sorter.deliver([&](std::span<const Interval> given) {
    for (const Interval& one : given) {
      EXPECT_EQ(one.key, next++);
      EXPECT_EQ(one.value.text(), text);
    }
    return base::result<void>();
  }));
  EXPECT_EQ(next, 3U);
}

}  // namespace
}  // namespace polytrace::history
