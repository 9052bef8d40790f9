// SPDX-License-Identifier: Apache-2.0
#include "collector/config/rules.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace polytrace::collector {
namespace {

using warehouse::Health10s;

Comparison compared(std::string_view text) {
  const auto made = parse_comparison(text);
  EXPECT_TRUE(made) << text << ": " << (made ? "" : made.error().detail);
  return made.value_or(Comparison{});
}

std::string why_not(std::string_view text) {
  const auto made = parse_comparison(text);
  EXPECT_FALSE(made) << text;
  return made ? std::string() : made.error().detail;
}

TEST(rules, times_sizes_and_numbers_are_read_in_their_units) {
  EXPECT_EQ(compared("pause_max_ns > 500ms").value, 500'000'000U);
  EXPECT_EQ(compared("wait_ns>=2s").value, 2'000'000'000U);
  EXPECT_EQ(compared("cpu_ns < 3min").value, 180'000'000'000U);
  EXPECT_EQ(compared("  pause_ns   =  7ns ").value, 7U);
  EXPECT_EQ(compared("alloc_bytes > 64m").value, 64U << 20);
  EXPECT_EQ(compared("heap_used > 2g").value, std::uint64_t{2} << 30);
  EXPECT_EQ(compared("heap_used > 17").value, 17U);
  EXPECT_EQ(compared("throws != 0").value, 0U);
  EXPECT_EQ(compared("events > 18446744073709551615").value,
            std::numeric_limits<std::uint64_t>::max());
}

TEST(rules, what_is_no_comparison_is_refused_with_the_reason) {
  for (const auto* const text : {"",
                                 ">",
                                 "gcs",
                                 "gcs >",
                                 "> 5",
                                 "gcs > five",
                                 "gcs > -1",
                                 "gcs > 5 or waits > 5",
                                 "gcs > 5ms",
                                 "gcs > 5k",
                                 "pause_ns > 5",
                                 "pause_ns > 5 s",
                                 "pause_ns > 5h",
                                 "gcs ~ 5",
                                 "events > 18446744073709551616",
                                 "heap_used > 99999999999g",
                                 "service = 5",
                                 "t > 5",
                                 "gen = 0",
                                 "pause_bucket = 1",
                                 "gcs > 5;",
                                 "gcs => 5"})
    EXPECT_FALSE(parse_comparison(text)) << text;
  EXPECT_NE(why_not("pause_max > 5ms").find("did you mean \"pause_max_ns\"?"), std::string::npos);
  EXPECT_NE(why_not("pause_ns > 5").find("a time such as"), std::string::npos);
  EXPECT_NE(why_not("heap_used > 5ms").find("a size such as"), std::string::npos);
}

// Each column is its own one: none but it makes the comparison hold.
TEST(rules, each_column_is_compared) {
  EXPECT_EQ(compared_columns().size(), 14U);
  for (const std::string& column : compared_columns()) {
    Comparison test{.column = column, .test = Comparison::Test::equal, .value = 41};
    Health10s row;
    std::size_t holding = 0;
    EXPECT_FALSE(test.holds(row)) << column;
    visit_columns(row, [&](std::string_view name, std::string_view, auto& has) {
      if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(has)>>) {
        has = 41;
        holding += test.holds(row);
        EXPECT_EQ(test.holds(row), name == column) << column << " by " << name;
        has = 0;
      }
    });
    EXPECT_EQ(holding, 1U) << column;
  }
}

TEST(rules, every_test_holds_where_it_should) {
  struct Case {
    const char* text;
    bool below, at, above;
  };
  for (const Case& one : {Case{"gcs > 5", false, false, true}, Case{"gcs >= 5", false, true, true},
                          Case{"gcs < 5", true, false, false}, Case{"gcs <= 5", true, true, false},
                          Case{"gcs = 5", false, true, false}, Case{"gcs != 5", true, false, true}})
    for (const auto& [value, holds] : {std::pair{4U, one.below}, {5U, one.at}, {6U, one.above}}) {
      Health10s row;
      row.gcs = value;
      EXPECT_EQ(compared(one.text).holds(row), holds) << one.text << " of " << value;
    }
}

}  // namespace
}  // namespace polytrace::collector
