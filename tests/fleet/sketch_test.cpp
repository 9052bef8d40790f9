// SPDX-License-Identifier: Apache-2.0
#include "fleet/questions/sketch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace polytrace::fleet {
namespace {

std::uint64_t number(const analysis::Cell& cell) { return std::get<std::uint64_t>(cell); }

TEST(sketch, sparse_buckets_give_the_quantiles_of_what_was_counted) {
  std::mt19937_64 random(5);
  base::DurationSketch whole;
  std::vector<std::uint64_t> all;
  for (int i = 0; i < 5000; ++i) {
    all.push_back(random() % 10'000'000);
    whole.add(all.back());
  }
  std::vector<std::uint16_t> bucket;
  std::vector<std::uint64_t> tally;
  for (std::size_t i = 0; i < whole.counts().size(); ++i) {
    if (whole.counts()[i] == 0) continue;
    bucket.push_back(static_cast<std::uint16_t>(whole.lowest() + i));
    tally.push_back(whole.counts()[i]);
  }
  std::ranges::sort(all);
  const auto cells = quantiles(bucket, tally);
  for (std::size_t i = 0; i < kQuantiles.size(); ++i) {
    const double truth = static_cast<double>(all[(all.size() * kQuantiles[i] + 99) / 100 - 1]);
    EXPECT_NEAR(static_cast<double>(number(cells[i])), truth, truth / 32 + 1);
  }
}

TEST(sketch, survives_what_no_writer_sends) {
  const std::vector<std::uint16_t> bucket{65535, 3, 4};
  const std::vector<std::uint64_t> tally{1, ~std::uint64_t{0}, 1};
  EXPECT_EQ(number(quantiles(bucket, tally)[0]), 3U);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(quantiles({}, {})[0]));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(
      quantiles(std::vector<std::uint16_t>{65535}, std::vector<std::uint64_t>{9})[0]));
}

}  // namespace
}  // namespace polytrace::fleet
