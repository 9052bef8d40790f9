// SPDX-License-Identifier: Apache-2.0
#include "agent/common/memory/clock.hpp"

#include <errno.h>
#include <gtest/gtest.h>

#include <vector>

#include "agent/common/memory/segments.hpp"
#include "format/native/wire/clock_line.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::test {
namespace {

using agent::Clock;
using agent::ClockChoice;
using agent::ClockKind;

TEST(clock, without_a_counter_ticks_are_nanoseconds) {
  Clock clock;
  clock.start(ClockChoice::monotonic);
  EXPECT_EQ(clock.kind(), ClockKind::monotonic);
  const base::Time before = agent::monotonic_now();
  const std::uint64_t tick = clock.now();
  EXPECT_LE(before, static_cast<base::Time>(tick));
  EXPECT_EQ(clock.time_of(tick), static_cast<base::Time>(tick));
  EXPECT_EQ(clock.ticks_per_second(), 1'000'000'000U);
  EXPECT_FALSE(clock.refit());
}

TEST(clock, a_counter_is_used_only_where_it_is_invariant) {
  Clock clock;
  clock.start(ClockChoice::counter);
  EXPECT_EQ(clock.kind() == ClockKind::counter, agent::has_invariant_counter());
}

TEST(clock, a_new_line_begins_where_the_former_one_is) {
  if (!agent::has_invariant_counter()) GTEST_SKIP() << "no invariant counter";
  Clock clock;
  clock.start(ClockChoice::counter);
  for (int line = 0; line < 2; ++line) {
    const format::native::ClockLine before = clock.line();
    while (!clock.refit()) {
    }
    const format::native::ClockLine after = clock.line();
    EXPECT_EQ(after.time0, format::native::time_at(before, after.tick0));
    EXPECT_GT(after.tick0, before.tick0);
    EXPECT_NEAR(static_cast<double>(after.rate), static_cast<double>(before.rate),
                static_cast<double>(before.rate) * 0.05);
    EXPECT_EQ(clock.time_of(after.tick0 + 1'000'000'000),
              format::native::time_at(after, after.tick0 + 1'000'000'000));
  }
}

// --- segments -----------------------------------------------------------------------------------

class segments_test : public testing::Test {
 protected:
  segments_test() { EXPECT_EQ(segments_.create(folder_.file("segments").c_str(), 2 << 20, 1), 0); }
  ~segments_test() override {
    segments_.close();
    segments_.retire();
  }
  TemporaryFolder folder_;
  agent::Segments segments_;
};

TEST_F(segments_test, are_zero_whoever_had_them_before) {
  std::vector<std::uint32_t> taken;
  // All of it in the smallest, filled; then in the largest.
  for (std::uint32_t unit = segments_.take(1, true); unit != agent::kNoSegment;
       unit = segments_.take(1, true)) {
    taken.push_back(unit);
    for (std::uint32_t i = 0; i < segments_.words_of(unit); ++i) segments_.words(unit)[i] = ~i;
  }
  EXPECT_EQ(taken.size(), (2U << 20) / 4096);
  for (const std::uint32_t unit : taken) segments_.give_back(unit, SIZE_MAX);
  std::size_t large = 0;
  for (std::uint32_t unit = segments_.take(64, true); unit != agent::kNoSegment;
       unit = segments_.take(64, true), ++large) {
    ASSERT_EQ(segments_.header(unit)->units, 64U);
    for (std::uint32_t i = 0; i < segments_.words_of(unit); ++i)
      ASSERT_EQ(segments_.words(unit)[i], 0U) << "word " << i;
  }
  EXPECT_EQ(large, (2U << 20) / (64 * 4096));
}

TEST_F(segments_test, a_smaller_one_is_better_than_none) {
  while (segments_.take(64, true) != agent::kNoSegment) {
    if (segments_.status().segment_bytes_used == (2 << 20) - 64 * 4096) break;
  }
  ASSERT_NE(segments_.take(1, true), agent::kNoSegment);
  const std::uint32_t unit = segments_.take(64, true);
  ASSERT_NE(unit, agent::kNoSegment);
  EXPECT_EQ(segments_.header(unit)->units, 16U);
}

TEST_F(segments_test, of_all_sizes_never_overlap) {
  std::vector<bool> used((2 << 20) / 4096 + 1);
  std::vector<std::uint32_t> taken;
  std::uint32_t random = 12345;
  for (int step = 0; step < 20'000; ++step) {
    random = random * 1664525 + 1013904223;
    const std::uint32_t unit = (random >> 30) == 0
                                   ? agent::kNoSegment
                                   : segments_.take(1U << (2 * (random >> 28 & 3)), true);
    if (unit != agent::kNoSegment) {
      for (std::uint32_t i = 0; i < segments_.header(unit)->units; ++i) {
        ASSERT_FALSE(used[unit + i]);
        used[unit + i] = true;
      }
      taken.push_back(unit);
    } else if (!taken.empty()) {
      std::swap(taken[(random >> 8) % taken.size()], taken.back());
      const std::uint32_t back = taken.back();
      for (std::uint32_t i = 0; i < segments_.header(back)->units; ++i) used[back + i] = false;
      segments_.give_back(back, SIZE_MAX);
      taken.pop_back();
    }
  }
}

TEST_F(segments_test, file_is_private) {
  const auto rights = std::filesystem::status(folder_.file("segments")).permissions();
  EXPECT_EQ(rights, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  agent::Segments others;
  EXPECT_EQ(others.create(folder_.file("segments").c_str(), 2 << 20, 1), EEXIST);
}

}  // namespace
}  // namespace polytrace::test
