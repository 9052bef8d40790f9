// SPDX-License-Identifier: Apache-2.0
#include "agent/common/tools/alloc_sampler.hpp"

#include <gtest/gtest.h>

#include <map>

namespace polytrace::agent {
namespace {

// Five standard deviations of the estimates below are 6 %.
TEST(alloc_sampler, what_is_told_stands_for_all_bytes_of_each_size) {
  constexpr std::uint64_t kInterval = 1000;
  const std::uint64_t sizes[] = {16, 24, 200, 999, 5000};
  AllocSampler sampler;
  std::map<std::uint64_t, double> told;
  constexpr int kEach = 400'000;
  for (int i = 0; i < kEach; ++i) {
    for (const std::uint64_t size : sizes)
      if (sampler.chooses(size, kInterval)) told[size] += sample_weight(size, kInterval);
  }
  for (const std::uint64_t size : sizes) EXPECT_NEAR(told[size] / kEach, 1, 0.07) << size;
}

TEST(alloc_sampler, some_of_the_objects_told_at_one_interval_stand_for_all_at_a_longer_one) {
  constexpr std::uint64_t kInterval = 1000;
  const std::uint64_t sizes[] = {16, 24, 200, 999, 5000};
  AllocSampler sampler;
  std::map<std::uint64_t, double> told;
  constexpr int kEach = 400'000;
  for (int i = 0; i < kEach; ++i) {
    for (const std::uint64_t size : sizes)
      if (sampler.chooses(size, kInterval / 3) && stays_chosen(size, kInterval / 3, kInterval))
        told[size] += sample_weight(size, kInterval);
  }
  for (const std::uint64_t size : sizes) EXPECT_NEAR(told[size] / kEach, 1, 0.07) << size;
}

TEST(alloc_sampler, an_interval_of_nothing_chooses_every_object_and_weighs_one) {
  AllocSampler sampler;
  sampler.chooses(16, 0);  // begins
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(sampler.chooses(16, 0));
  EXPECT_EQ(sample_weight(16, 0), 1U);
}

}  // namespace
}  // namespace polytrace::agent
