// SPDX-License-Identifier: Apache-2.0
#include "fleet/tiers.hpp"

#include <gtest/gtest.h>

namespace polytrace::fleet {
namespace {

constexpr std::uint32_t kNoon = 1'790'000'400 / kHour * kHour;

// What is asked of each second, as a text: a digit for a tier, '-' for none.
std::string shown(const TierChoice& choice, const Range& range, std::uint32_t step) {
  std::string text;
  for (std::uint32_t t = range.from; t < range.to; t += step) {
    char found = '-';
    for (std::size_t tier = 0; tier < choice.ranges.size(); ++tier)
      for (const Range& part : choice.ranges[tier])
        if (part.from <= t && t < part.to) {
          EXPECT_EQ(found, '-') << "asked twice: " << t;
          found = static_cast<char>('0' + tier);
        }
    text += found;
  }
  return text;
}

std::string chosen(const Range& range, std::size_t wanted, std::size_t coarsest,
                   const std::function<bool(std::size_t, std::uint32_t)>& is_there,
                   std::uint32_t step) {
  return shown(choose_tiers(kProfileTiers, range, wanted, coarsest, is_there), range, step);
}

bool all(std::size_t, std::uint32_t) { return true; }

TEST(tiers, whole_hours_come_from_the_tier_that_is_wanted) {
  const Range range{kNoon, kNoon + 3 * kHour};
  EXPECT_EQ(chosen(range, 2, 2, all, kHour), "222");
  EXPECT_EQ(chosen(range, 1, 2, all, kHour), "111");
  EXPECT_EQ(chosen(range, 0, 2, all, kHour), "000");
}

TEST(tiers, a_range_s_ends_come_from_finer_tiers) {
  const Range range{kNoon + 3600 - 70, kNoon + 7200 + 70};
  EXPECT_EQ(chosen(range, 2, 2, all, 10),
            "0"
            "111111" +
                std::string(360, '2') +
                "111111"
                "0");
  EXPECT_EQ(chosen({kNoon + 7, kNoon + 50}, 2, 2, all, 1), std::string(43, '0'));
}

TEST(tiers, an_hour_that_is_not_rolled_is_asked_finer_and_one_that_was_dropped_coarser) {
  const Range range{kNoon, kNoon + 3 * kHour};
  const std::uint32_t first = kNoon / kHour;
  const auto rolled = [&](std::size_t tier, std::uint32_t hour) {
    return tier == 0 ? hour != first : tier == 1 ? hour != first + 2 : hour == first;
  };
  EXPECT_EQ(chosen(range, 1, 2, rolled, kHour), "110");
  EXPECT_EQ(chosen(range, 2, 2, rolled, kHour), "210");
  EXPECT_EQ(chosen(range, 0, 2, rolled, kHour), "100");
  EXPECT_EQ(chosen(range, 0, 0, rolled, kHour), "-00");
}

TEST(tiers, what_no_tier_has_is_counted) {
  const auto only_hours = [](std::size_t tier, std::uint32_t) { return tier == 2; };
  const Range range{kNoon + 600, kNoon + 2 * kHour + 5};
  const TierChoice choice = choose_tiers(kProfileTiers, range, 0, 2, only_hours);
  EXPECT_EQ(choice.left_out, 3000 + 5);
  ASSERT_EQ(choice.ranges[2].size(), 1);
  EXPECT_EQ(choice.ranges[2][0].from, kNoon + kHour);
  EXPECT_EQ(choice.ranges[2][0].to, kNoon + 2 * kHour);
}

TEST(tiers, partitions_have_the_numbers_of_the_server_and_cover_their_time) {
  constexpr std::uint32_t kHours = 1'790'000'400 / kHour;  // 2026-09-21 14:20
  EXPECT_EQ(part_of_hour(Part::hour, kHours), kHours);
  EXPECT_EQ(part_of_hour(Part::day, kHours), 20260921);
  EXPECT_EQ(part_of_hour(Part::month, kHours), 202609);
  EXPECT_EQ(range_of_part(Part::hour, kHours).from, kHours * kHour);
  EXPECT_EQ(range_of_part(Part::day, 20260921).from, 1'789'948'800);
  EXPECT_EQ(range_of_part(Part::day, 20260921).seconds(), kDay);
  EXPECT_EQ(range_of_part(Part::month, 202602).seconds(), 28 * kDay);
  for (const std::uint32_t wrong : {0U, 7U, 20261301U, 20260230U, 99999999U, UINT32_MAX})
    EXPECT_EQ(range_of_part(Part::day, wrong).to, 0) << wrong;
  EXPECT_EQ(range_of_part(Part::hour, UINT32_MAX).to, 0);
}

}  // namespace
}  // namespace polytrace::fleet
