// SPDX-License-Identifier: Apache-2.0
// What two runs of one program may differ by, and what is more.
#include "analysis/diff/judge.hpp"

#include <gtest/gtest.h>

#include "analysis/calls/calltree.hpp"
#include "analysis/recording.hpp"

namespace polytrace::analysis {
namespace {

constexpr double kSecond = 1e9;

Evidence of(std::vector<double> figures) { return {std::move(figures)}; }
Evidence sampled(double figure, double sample_size) { return {{figure}, {}, sample_size}; }

bool differ(const Evidence& before, const Evidence& after, Chance chance) {
  return std::abs(mean(after.judged()) - mean(before.judged())) >=
         noise_between(before, after, chance);
}

TEST(judge, counts_of_single_runs_are_exact) {
  EXPECT_TRUE(differ(of({1'000'000}), of({1'000'001}), Chance::none));
}

TEST(judge, counts_that_differ_from_run_to_run_are_not) {
  EXPECT_FALSE(differ(of({1000, 1040, 980}), of({1010, 990, 1050}), Chance::none));
  EXPECT_TRUE(differ(of({1000, 1040, 980}), of({2010, 1990, 2050}), Chance::none));
  EXPECT_TRUE(differ(of({1000, 1000, 1000}), of({1001, 1001, 1001}), Chance::none));
}

TEST(judge, times_and_meetings_of_threads_take_three_runs_of_each_side) {
  for (const Chance chance : {Chance::time, Chance::meetings}) {
    EXPECT_FALSE(can_judge(1, 1, chance));
    EXPECT_FALSE(can_judge(2, 3, chance));
    EXPECT_TRUE(can_judge(3, 3, chance));
  }
  EXPECT_TRUE(can_judge(1, 1, Chance::none));
  EXPECT_TRUE(can_judge(1, 1, Chance::samples));
}

TEST(judge, three_runs_tell_a_tenth_more) {
  const Evidence before = of({0.99 * kSecond, 1.0 * kSecond, 1.01 * kSecond});
  EXPECT_TRUE(differ(before, of({1.09e9, 1.10e9, 1.11e9}), Chance::time));
  EXPECT_FALSE(differ(before, of({1.00e9, 1.02e9, 1.01e9}), Chance::time));
  EXPECT_FALSE(differ(before, of({0.8e9, 1.1e9, 1.4e9}), Chance::time));
}

TEST(judge, what_one_call_was_late_by_hides_no_change_and_is_none) {
  const std::vector<double> equal = {1.00e9, 1.01e9, 0.99e9};
  const Evidence late{{1.00e9, 1.01e9, 1.90e9}, equal};
  EXPECT_TRUE(differ(late, {{2.0e9, 2.01e9, 1.99e9}, {2.0e9, 2.01e9, 1.99e9}}, Chance::time));
  EXPECT_FALSE(differ({equal, equal}, late, Chance::time));
}

TEST(judge, short_times_are_nobodys_concern) {
  EXPECT_FALSE(differ(of({1000, 1000, 1000}), of({90'000, 90'000, 90'000}), Chance::time));
}

TEST(judge, sampled_bytes_are_as_sure_as_their_number) {
  constexpr double kSample = 512 * 1024;
  EXPECT_FALSE(
      differ(sampled(4 * kSample, kSample), sampled(8 * kSample, kSample), Chance::samples));
  EXPECT_TRUE(
      differ(sampled(400 * kSample, kSample), sampled(800 * kSample, kSample), Chance::samples));
  EXPECT_TRUE(differ(sampled(1000, 0), sampled(1024, 0), Chance::samples));
}

TEST(judge, waits_of_a_few_runs_lie_far_apart) {
  EXPECT_FALSE(differ(of({1.0e9, 1.0e9, 1.0e9}), of({1.2e9, 1.2e9, 1.2e9}), Chance::meetings));
  EXPECT_TRUE(differ(of({0, 0, 0}), of({0.3e9, 0.3e9, 0.3e9}), Chance::meetings));
  // A thread that ran late, once in each run on a busy machine; and four times.
  EXPECT_FALSE(differ(of({10e6, 10e6, 10e6}), of({14e6, 14e6, 14e6}), Chance::meetings));
  EXPECT_TRUE(differ(of({10e6, 10e6, 10e6}), of({19e6, 19e6, 19e6}), Chance::meetings));
  Evidence four = of({19e6, 19e6, 19e6});
  four.meetings = 4;
  EXPECT_FALSE(differ(of({10e6, 10e6, 10e6}), four, Chance::meetings));
}

TEST(own_times, are_those_of_the_calls_without_their_callees) {
  OwnTimes own;
  CallTree tree{Selection{}};
  tree.fill(own);
  Recording r(tree);
  base::Time time = 0;
  for (base::Time i = 0; i < 360; ++i) {
    const base::Time length = i == 7 ? 50'000 : 10;  // one had to wait for a processor
    r.enter(time, 1).enter(time + 1, 2).leave(time + 6, 2).leave(time + length + 5, 1);
    time += 100'000;
  }
  r.finish();
  const auto outer = own.of(r.names().methods().index(1));
  EXPECT_EQ(outer.calls, 360U);
  EXPECT_EQ(outer.late(), 3U * 10 + 50'000);
  EXPECT_EQ(outer.waits, 0U);
  EXPECT_EQ(own.of(r.names().methods().index(2)).late(), 4U * 5);
}

TEST(own_times, of_a_few_calls_have_no_late_ones) {
  OwnTimes own;
  for (const std::uint64_t one : {10, 20, 30}) own.add(0, one, one);
  EXPECT_EQ(own.of(0).late(), 0U);
}

}  // namespace
}  // namespace polytrace::analysis
