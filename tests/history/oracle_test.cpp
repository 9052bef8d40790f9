// SPDX-License-Identifier: Apache-2.0
// The engine against plain lists, over random histories of every kind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "history/random_history.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::history {
namespace {

using test::RandomHistory;
using test::Shape;

void expect_agreement(const Shape& shape) {
  SCOPED_TRACE(testing::Message() << "seed " << shape.seed);
  const polytrace::test::TemporaryFolder folder;
  const std::string path = folder.file("history.bin");
  RandomHistory random(path, shape);
  random.feed();
  random.close();
  const auto history = History::open(path);
  ASSERT_TRUE(history) << base::to_text(history.error());
  EXPECT_TRUE(history->notices().empty());
  EXPECT_TRUE(history->facts().complete);
  expect_same_answers(*history, random.oracle(), shape.seed);
}

TEST(oracle, agrees_on_many_small_histories) {
  for (std::uint64_t seed = 1; seed <= 40 && !testing::Test::HasFailure(); ++seed)
    expect_agreement({.seed = seed, .keys = 12, .changes = 400, .per_segment = 50});
}

TEST(oracle, agrees_on_long_runs) {
  for (std::uint64_t seed = 1; seed <= 3 && !testing::Test::HasFailure(); ++seed)
    expect_agreement({.seed = seed, .keys = 8, .changes = 9000, .per_segment = 4000});
}

TEST(oracle, agrees_on_sparse_directories) {
  for (std::uint64_t seed = 1; seed <= 5 && !testing::Test::HasFailure(); ++seed)
    expect_agreement({.seed = seed, .keys = 200, .changes = 3000, .per_segment = 20});
}

TEST(oracle, agrees_on_keys_of_32_bits) {
  for (std::uint64_t seed = 1; seed <= 5 && !testing::Test::HasFailure(); ++seed)
    expect_agreement({.seed = seed, .keys = 40, .changes = 2000, .sparse = true});
}

TEST(oracle, agrees_on_extreme_times) {
  constexpr std::uint64_t kLong = std::uint64_t{1} << 58;
  expect_agreement({.seed = 1, .per_segment = 20, .start = INT64_MIN + 1, .longest_step = kLong});
  expect_agreement({.seed = 2, .start = INT64_MIN / 2, .longest_step = kLong});
  expect_agreement({.seed = 3, .start = INT64_MAX - 5000, .longest_step = 10});
}

TEST(oracle, agrees_on_one_segment_per_tick) {
  expect_agreement({.seed = 9, .keys = 5, .changes = 500, .per_segment = 1, .longest_step = 3});
}

TEST(oracle, agrees_on_streams) {
  for (std::uint64_t seed = 1; seed <= 10 && !testing::Test::HasFailure(); ++seed)
    expect_agreement({.seed = seed, .layout = Layout::stream});
}

}  // namespace
}  // namespace polytrace::history
