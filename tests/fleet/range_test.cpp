// SPDX-License-Identifier: Apache-2.0
#include "fleet/range.hpp"

#include <gtest/gtest.h>

namespace polytrace::fleet {
namespace {

constexpr std::uint32_t kNow = 1'790'000'000;

TEST(range, is_the_last_hour_where_nothing_is_told) {
  const auto range = parse_range({}, kNow);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->from, kNow - 3600);
  EXPECT_EQ(range->to, kNow);
}

TEST(range, is_told_by_length_or_ends) {
  const auto last = parse_range({.last = "7d", .to = "2026-09-21T00:00:00Z"}, kNow);
  ASSERT_TRUE(last);
  EXPECT_EQ(time_text(last->to), "2026-09-21T00:00:00Z");
  EXPECT_EQ(last->seconds(), 7U * 86400);
  const auto ends = parse_range({.from = "7200", .to = "10800"}, kNow);
  ASSERT_TRUE(ends);
  EXPECT_EQ(ends->first_hour(), 2U);
  EXPECT_EQ(ends->last_hour(), 2U);
}

TEST(range, what_is_none_is_refused) {
  for (const RangeWords& words :
       {RangeWords{.last = "x"}, RangeWords{.last = "0s"}, RangeWords{.last = "-1h"},
        RangeWords{.from = "9", .to = "9"}, RangeWords{.last = "1h", .from = "1"},
        RangeWords{.to = "0"}, RangeWords{.from = "soon"},
        RangeWords{.to = "1890-01-01T00:00:00Z"}})
    EXPECT_FALSE(parse_range(words, kNow)) << words.last << words.from << words.to;
}

}  // namespace
}  // namespace polytrace::fleet
