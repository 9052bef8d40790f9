// SPDX-License-Identifier: Apache-2.0
#include "warehouse/shards.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace polytrace::warehouse {
namespace {

// As the paper has it, with division instead of its shift and multiplication.
std::uint32_t jump_by_the_paper(std::uint64_t key, std::uint32_t buckets) {
  std::int64_t b = -1, j = 0;
  while (j < static_cast<std::int64_t>(buckets)) {
    b = j;
    key = key * 2862933555777941757ULL + 1;
    j = static_cast<std::int64_t>(
        static_cast<double>(b + 1) *
        (static_cast<double>(1LL << 31) / static_cast<double>((key >> 33) + 1)));
  }
  return static_cast<std::uint32_t>(b);
}

TEST(shards, one_more_takes_its_share_and_moves_nothing_else) {
  constexpr std::uint32_t kSeries = 20'000;
  for (std::uint32_t shards = 1; shards < 9; ++shards) {
    std::vector<std::uint32_t> counts(shards + 1);
    for (std::uint64_t id = 0; id < kSeries; ++id) {
      const std::uint32_t was = shard_of(id, shards), is = shard_of(id, shards + 1);
      EXPECT_EQ(is, jump_by_the_paper(id, shards + 1));
      EXPECT_TRUE(is == was || is == shards) << id;
      ++counts[is];
    }
    for (const std::uint32_t count : counts)
      EXPECT_NEAR(count, kSeries / (shards + 1), kSeries / (shards + 1) / 5) << shards;
  }
}

TEST(shards, one_has_all) {
  EXPECT_EQ(shard_of(0, 1), 0U);
  EXPECT_EQ(shard_of(~std::uint64_t{0}, 1), 0U);
}

TEST(shards, commas_are_between_replicas) {
  const std::vector<std::string> both{"http://a:1/d", "http://b:1/d"};
  EXPECT_EQ(parse_replicas("http://a:1/d,http://b:1/d"), both);
  EXPECT_EQ(parse_replicas("x").size(), 1U);
  EXPECT_FALSE(open_shards({parse_replicas("http://a:1/d,")}, {}));
}

TEST(shards, bad_addresses_are_refused) {
  EXPECT_FALSE(open_shards({{"http://a:1/d"}, {"nowhere"}}, {}));
  EXPECT_EQ(open_shards({{"http://a:1/d", "http://b:1/d"}, {"http://c:1/d"}}, {}).value().size(),
            2U);
}

}  // namespace
}  // namespace polytrace::warehouse
