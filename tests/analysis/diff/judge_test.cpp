// SPDX-License-Identifier: Apache-2.0
// What two runs of one program may differ by, and what is more.
#include "analysis/diff/judge.hpp"

#include <gtest/gtest.h>

#include "analysis/calls/calltree.hpp"
#include "analysis/recording.hpp"

namespace polytrace::analysis {
namespace {

constexpr double kSecond = 1e9;

Evidence one(double figure, double calls = 0, double variance = 0) {
  return {{figure}, calls, variance, 0};
}
Evidence several(std::vector<double> figures) { return {std::move(figures), 0, 0, 0}; }
Evidence sampled(double figure, double sample_size) { return {{figure}, 0, 0, sample_size}; }

bool differ(const Evidence& before, const Evidence& after, Chance chance) {
  return std::abs(after.mean() - before.mean()) >= noise_between(before, after, chance);
}

TEST(judge, counts_of_single_runs_are_exact) {
  EXPECT_TRUE(differ(one(1'000'000), one(1'000'001), Chance::none));
}

TEST(judge, counts_that_differ_from_run_to_run_are_not) {
  EXPECT_FALSE(differ(several({1000, 1040, 980}), several({1010, 990, 1050}), Chance::none));
  EXPECT_TRUE(differ(several({1000, 1040, 980}), several({2010, 1990, 2050}), Chance::none));
  EXPECT_TRUE(differ(several({1000, 1000, 1000}), several({1001, 1001, 1001}), Chance::none));
}

TEST(judge, many_calls_of_one_run_say_more_than_one_call) {
  EXPECT_FALSE(differ(one(kSecond, 1), one(1.6 * kSecond, 1), Chance::time));
  EXPECT_TRUE(differ(one(kSecond, 10'000), one(1.6 * kSecond, 10'000), Chance::time));
  EXPECT_TRUE(differ(one(kSecond, 1), one(12 * kSecond, 1), Chance::time));
}

TEST(judge, calls_that_differ_much_make_a_sum_uncertain) {
  const double variance = 0.4 * kSecond * 0.4 * kSecond;
  EXPECT_FALSE(
      differ(one(kSecond, 10'000, variance), one(2 * kSecond, 10'000, variance), Chance::time));
  EXPECT_TRUE(differ(one(kSecond, 10'000, 1), one(2 * kSecond, 10'000, 1), Chance::time));
}

TEST(judge, a_few_runs_tell_a_tenth_more) {
  const Evidence before = several({0.99 * kSecond, 1.0 * kSecond, 1.01 * kSecond});
  EXPECT_TRUE(differ(before, several({1.09e9, 1.10e9, 1.11e9}), Chance::time));
  EXPECT_FALSE(differ(before, several({1.00e9, 1.02e9, 1.01e9}), Chance::time));
  EXPECT_FALSE(differ(before, several({0.8e9, 1.1e9, 1.4e9}), Chance::time));
}

TEST(judge, short_times_are_nobodys_concern) {
  EXPECT_FALSE(differ(one(1000, 100), one(90'000, 100), Chance::time));
}

TEST(judge, sampled_bytes_are_as_sure_as_their_number) {
  constexpr double kSample = 512 * 1024;
  EXPECT_FALSE(
      differ(sampled(4 * kSample, kSample), sampled(8 * kSample, kSample), Chance::samples));
  EXPECT_TRUE(
      differ(sampled(400 * kSample, kSample), sampled(800 * kSample, kSample), Chance::samples));
  EXPECT_TRUE(differ(sampled(1000, 0), sampled(1024, 0), Chance::samples));
}

TEST(judge, waits_of_two_runs_lie_far_apart) {
  EXPECT_FALSE(differ(one(0.1 * kSecond), one(0.3 * kSecond), Chance::meetings));
  EXPECT_TRUE(differ(one(0), one(0.3 * kSecond), Chance::meetings));
  EXPECT_FALSE(differ(one(0), one(500'000), Chance::meetings));
  // Two pauses of a collector, by how late threads ran.
  EXPECT_FALSE(differ(one(110'000, 2), one(1'700'000, 2), Chance::meetings));
  // A thread that was late once, on a busy machine.
  EXPECT_FALSE(differ(one(1'000'000, 1), one(5'700'000, 1), Chance::meetings));
  EXPECT_TRUE(differ(one(110'000, 2), one(30'000'000, 2), Chance::meetings));
}

TEST(call_spread, is_that_of_the_calls_own_times) {
  CallSpread spread;
  CallTree tree{Selection{}};
  tree.fill(spread);
  Recording r(tree);
  base::Time time = 0;
  for (const base::Time own : {10, 20, 30, 40}) {
    r.enter(time, 1).enter(time + 1, 2).leave(time + 6, 2).leave(time + own + 5, 1);
    time += 100;
  }
  r.finish();
  const auto outer = spread.of(r.names().methods().index(1));
  EXPECT_DOUBLE_EQ(outer.calls, 4);
  EXPECT_DOUBLE_EQ(outer.time, 100);
  EXPECT_DOUBLE_EQ(outer.variance(), 4.0 * 500 / 3);  // four times that of one call
  EXPECT_DOUBLE_EQ(spread.of(r.names().methods().index(2)).variance(), 0);
}

}  // namespace
}  // namespace polytrace::analysis
