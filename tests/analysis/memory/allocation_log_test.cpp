// SPDX-License-Identifier: Apache-2.0
// What was allocated before each collection, against adding up one by one.
#include "analysis/memory/allocation_log.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace polytrace::analysis {
namespace {

using base::Time;

struct Made {
  Time time;
  std::uint32_t site;
  std::uint64_t bytes;
};

std::vector<Made> some(std::uint64_t seed, std::size_t count, std::uint32_t sites) {
  std::mt19937_64 random(seed);
  std::vector<Made> all;
  for (std::size_t i = 0; i < count; ++i)
    all.push_back({static_cast<Time>(random() % 1'000'000),
                   static_cast<std::uint32_t>(random() % sites), 1 + random() % 100});
  return all;
}

TEST(allocation_log, adds_up_between_times_in_any_order) {
  const std::vector<Made> all = some(1, 5000, 7);
  AllocationLog log;
  for (const Made& made : all) log.add(made.time, made.site, made.bytes);
  const std::vector<Time> ends{0, 10'000, 10'000, 500'000, 999'999};
  const auto intervals = log.until(ends);
  EXPECT_EQ(log.inexact(), 0U);
  Time begin = std::numeric_limits<Time>::min();
  for (std::size_t i = 0; i < ends.size(); ++i) {
    std::map<std::uint32_t, std::uint64_t> sites;
    std::uint64_t bytes = 0;
    for (const Made& made : all)
      if (made.time >= begin && made.time < ends[i])
        bytes += made.bytes, sites[made.site] += made.bytes;
    EXPECT_EQ(intervals[i].bytes, bytes) << i;
    for (const auto& [site, sum] : sites) EXPECT_LE(sum, sites[intervals[i].site]) << i;
    if (bytes == 0) {
      EXPECT_EQ(intervals[i].site, NameTable::kNone);
    }
    begin = ends[i];
  }
}

// No byte is lost where there is no room, and times are right to within what is said.
TEST(allocation_log, keeps_within_its_room) {
  for (const std::uint32_t sites : {1U, 20U, 5000U}) {
    const std::vector<Made> all = some(sites, 20'000, sites);
    AllocationLog log(256);
    std::uint64_t sum = 0;
    for (const Made& made : all) log.add(made.time, made.site, made.bytes), sum += made.bytes;
    EXPECT_GT(log.inexact(), 0U);
    const std::vector<Time> ends{300'000, 700'000, 2'000'000};
    const auto intervals = log.until(ends);
    EXPECT_EQ(intervals[0].bytes + intervals[1].bytes + intervals[2].bytes, sum);
    const auto slack = static_cast<Time>(log.inexact());
    std::uint64_t before = 0, least = 0, most = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      before += intervals[i].bytes;
      least = most = 0;
      for (const Made& made : all) {
        if (made.time < ends[i]) least += made.bytes;
        if (made.time < ends[i] + slack) most += made.bytes;
      }
      EXPECT_GE(before, least);
      EXPECT_LE(before, most);
    }
  }
}

}  // namespace
}  // namespace polytrace::analysis
