// SPDX-License-Identifier: Apache-2.0
// Wall clocks that jump, ours or a program's: windows are those of the stream's first clock.
#include <gtest/gtest.h>

#include <map>

#include "analysis/asked.hpp"
#include "collector/aggregate/aggregator.hpp"

namespace polytrace::collector {
namespace {

using test::Stream;
using Rows10s = std::map<std::pair<std::uint32_t, int>, std::uint64_t>;

constexpr std::uint32_t kThatMidnight = 1'795'651'200;
constexpr Time kItsNanoseconds = kThatMidnight * kSecond;

struct Clocked {
  Rows rows{};
  Aggregator aggregator{{.lag = 2 * kSecond, .live = true},
                        [this](Rows&& more) { rows.append(std::move(more)); }};

  Clocked() {
    event::Batch batch;
    add_clock(batch, 0, kItsNanoseconds);
    Stream(batch, 1).method(1, "Main");
    EXPECT_TRUE(aggregator.consume(batch));
  }
  static void add_clock(event::Batch& batch, Time time, Time wall) {
    event::Clock clock;
    clock.wall = wall;
    Stream(batch, 1).add(time, base::kNoId, clock);
  }
  void call(Time begin, Time length = kSecond / 2) {
    event::Batch batch;
    Stream(batch, 1).add(begin, 1, event::Enter{}).add(begin + length, 1, event::Leave{});
    EXPECT_TRUE(aggregator.consume(batch));
  }
  // Calls by window, in seconds, and generation.
  Rows10s calls() const {
    Rows10s all;
    for (const auto& row : rows.of<warehouse::Profile10s>())
      all[{row.t - kThatMidnight, row.gen}] += row.count;
    return all;
  }
};

TEST(clock, set_back_in_a_run_leaves_windows_as_they_began_and_is_told_as_skew) {
  Clocked made;
  constexpr Time kBack = 30 * kSecond;
  for (Time second = 0; second < 60; ++second) {
    const Time time = second * kSecond;
    const bool is_back = second >= 30;
    if (second == 30) {
      event::Batch batch;
      Clocked::add_clock(batch, time, kItsNanoseconds + time - kBack);
      EXPECT_TRUE(made.aggregator.consume(batch));
    }
    made.call(time);
    made.aggregator.note_arrival(kItsNanoseconds + time + kSecond / 2 - (is_back ? kBack : 0));
    EXPECT_EQ(made.aggregator.skew(), is_back ? kBack : 0) << second;
  }
  made.aggregator.finish();
  Rows10s expected;
  for (std::uint32_t window = 0; window < 60; window += 10) expected[{window, 0}] = 10;
  EXPECT_EQ(made.calls(), expected);
  EXPECT_EQ(made.aggregator.refused(), 0U);
  EXPECT_EQ(made.rows.of<warehouse::Series>().back().skew_ms, 30'000);
}

// Else each of them would be closed by itself, and a window has but so many generations.
TEST(clock, what_comes_behind_a_silence_is_one_more_generation) {
  Clocked made;
  made.call(kSecond);
  made.aggregator.close_until(kItsNanoseconds + 300 * kSecond);
  EXPECT_EQ(made.calls(), (Rows10s{{{0, 0}, 1}}));
  for (Time i = 0; i < 300; ++i) made.call(2 * kSecond + i * kSecond / 50, kSecond / 100);
  EXPECT_EQ(made.aggregator.closes_next(), kItsNanoseconds + kWindow + 2 * kSecond);
  made.call(25 * kSecond);
  EXPECT_EQ(made.calls(), (Rows10s{{{0, 0}, 1}, {{0, 1}, 300}}));
}

}  // namespace
}  // namespace polytrace::collector
