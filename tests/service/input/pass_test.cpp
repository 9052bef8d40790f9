// SPDX-License-Identifier: Apache-2.0
#include "service/input/pass.hpp"

#include <gtest/gtest.h>

#include "base/codes.hpp"
#include "service/example.hpp"
#include "service/input/overview.hpp"

namespace polytrace::service::test {
namespace {

Passed pass_over(const Input& input, OverviewConsumer& consumer) {
  auto opened = input.open();
  EXPECT_TRUE(opened.has_value());
  return pass(input, *opened->reader, consumer);
}

TEST(pass, reads_a_whole_trace) {
  const Input input({.file = example()});
  OverviewConsumer consumer;
  const Passed passed = pass_over(input, consumer);
  EXPECT_TRUE(passed.is_clean());
  EXPECT_FALSE(passed.is_partial());
  EXPECT_GT(consumer.take().total(), 1000U);
}

TEST(pass, ends_early_and_says_so_where_it_is_stopped) {
  const Input input({.file = example()}, stopped());
  OverviewConsumer consumer;
  const Passed passed = pass_over(input, consumer);
  EXPECT_TRUE(passed.interrupted);
  EXPECT_TRUE(passed.is_partial());
  EXPECT_FALSE(passed.is_clean());
}

TEST(pass, is_watched_from_its_beginning_to_its_end) {
  struct Counting final : Watcher {
    explicit Counting(int& ended_passes) : ended(ended_passes) {}
    ~Counting() override { ++ended; }
    void update(const base::Source&) override {}
    int& ended;
  };
  int begun = 0, ended = 0;
  Asking asking;
  asking.watch = [&] {
    ++begun;
    return std::make_unique<Counting>(ended);
  };
  const Input input({.file = example()}, asking);
  for (int i = 0; i < 2; ++i) {
    OverviewConsumer consumer;
    pass_over(input, consumer);
  }
  EXPECT_EQ(begun, 2);
  EXPECT_EQ(ended, 2);
}

TEST(pass, stops_at_the_first_problem_where_that_is_wanted) {
  const std::string damaged = recording("mlpd/bad_event.mlpd");
  const Input lenient({.file = damaged}), strict({.file = damaged, .strict = true});
  OverviewConsumer all, some;
  const Passed whole = pass_over(lenient, all);
  const Passed part = pass_over(strict, some);
  EXPECT_EQ(part.stopped_early, !whole.notices.empty());
  EXPECT_LE(some.take().total(), all.take().total());
}

TEST(input, tells_why_a_file_cannot_be_opened) {
  const Input input({.file = recording("no such file")});
  const auto opened = input.open();
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, base::Code::open_failed);
}

TEST(input, refuses_a_second_pass_over_a_growing_file) {
  Input input({.file = example(), .follow = true});
  const auto ready = input.prepare_passes();
  ASSERT_FALSE(ready.has_value());
  EXPECT_EQ(ready.error().code, base::Code::usage);
}

}  // namespace
}  // namespace polytrace::service::test
