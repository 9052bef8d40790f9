// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analysis/calls/calltree.hpp"
#include "analysis/recording.hpp"
#include "analysis/runtime/throw_bursts.hpp"

namespace polytrace::analysis {
namespace {

TEST(throw_bursts, end_with_a_gap_and_need_twenty) {
  ThrowBursts bursts;
  base::Time time = 0;
  for (int i = 0; i < 25; ++i) bursts.add(time += 1'000'000, 1, 4);
  time += static_cast<base::Time>(ThrowBursts::kGap) + 1;
  for (int i = 0; i < 19; ++i) bursts.add(time += 1'000'000, 1, 4);
  for (int i = 0; i < 20; ++i)
    bursts.add(time += static_cast<base::Time>(ThrowBursts::kGap), 2, i < 5);
  CallTree tree(Selection{});
  Recording r(tree);
  bursts.finish(r.names());
  ASSERT_EQ(bursts.bursts().size(), 2U);
  EXPECT_EQ(bursts.bursts()[0].count, 25U);
  EXPECT_DOUBLE_EQ(bursts.bursts()[0].per_second(), 25);
  EXPECT_EQ(bursts.bursts()[1].site, 0U);
  EXPECT_DOUBLE_EQ(bursts.bursts()[1].per_second(), 20 / 1.9);
}

}  // namespace
}  // namespace polytrace::analysis
