// SPDX-License-Identifier: Apache-2.0
#include "store/file/eviction.hpp"

#include <gtest/gtest.h>

#include <random>

namespace polytrace::store {
namespace {

using What = Removal::What;
constexpr std::int64_t kNow = 10 * kDraftAge;

TEST(eviction, nothing_goes_within_the_limit) {
  const std::vector<KeptIndex> kept{{.bytes = 60, .used = 1}, {.bytes = 40, .used = 2}};
  EXPECT_TRUE(evictions(kept, 100, kNow).empty());
  EXPECT_FALSE(evictions(kept, 99, kNow).empty());
}

TEST(eviction, the_least_recently_used_goes_first) {
  const std::vector<KeptIndex> kept{
      {.bytes = 50, .used = 3}, {.bytes = 50, .used = 1}, {.bytes = 50, .used = 2}};
  EXPECT_EQ(evictions(kept, 100, kNow), (std::vector<Removal>{{1, What::all}}));
  EXPECT_EQ(evictions(kept, 99, kNow), (std::vector<Removal>{{1, What::all}, {2, What::all}}));
}

TEST(eviction, a_locked_one_never_goes) {
  const std::vector<KeptIndex> kept{{.bytes = 90, .used = 1, .locked = true},
                                    {.bytes = 10, .used = 2}};
  EXPECT_EQ(evictions(kept, 0, kNow), (std::vector<Removal>{{1, What::all}}));
}

TEST(eviction, a_draft_goes_after_a_day_whatever_the_limit) {
  const auto draft = [](std::int64_t age, bool locked) {
    return KeptIndex{
        .bytes = 30, .used = kNow, .locked = locked, .draft_bytes = 20, .drafted = kNow - age};
  };
  const std::vector<KeptIndex> kept{draft(kDraftAge, false), draft(kDraftAge + 1, false),
                                    draft(kDraftAge + 1, true)};
  EXPECT_EQ(evictions(kept, 1000, kNow), (std::vector<Removal>{{1, What::draft}}));
}

TEST(eviction, a_folder_with_nothing_but_an_old_draft_goes_as_a_whole) {
  const std::vector<KeptIndex> kept{{.bytes = 20, .draft_bytes = 20, .drafted = 0}};
  EXPECT_EQ(evictions(kept, 1000, kNow), (std::vector<Removal>{{0, What::all}}));
}

TEST(eviction, what_an_old_draft_frees_saves_the_others) {
  const std::vector<KeptIndex> kept{{.bytes = 50, .used = 1},
                                    {.bytes = 60, .used = 2, .draft_bytes = 40, .drafted = 0}};
  EXPECT_EQ(evictions(kept, 70, kNow), (std::vector<Removal>{{1, What::draft}}));
  // Once: as a whole.
  EXPECT_EQ(evictions(kept, 10, kNow), (std::vector<Removal>{{0, What::all}, {1, What::all}}));
}

// Whatever is kept: what is left fits the limit, or everything left is locked or newer than all
// that went.
TEST(eviction, goes_no_further_than_it_must) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<KeptIndex> kept(random() % 12);
    std::uint64_t sum = 0;
    for (KeptIndex& one : kept) {
      one = {.bytes = 1 + random() % 100,
             .used = static_cast<std::int64_t>(random() % 50),
             .locked = random() % 4 == 0};
      sum += one.bytes;
    }
    const std::uint64_t limit = random() % 400;
    const auto gone = evictions(kept, limit, kNow);
    std::vector<bool> went(kept.size());
    for (const Removal& one : gone) {
      ASSERT_FALSE(kept[one.index].locked);
      ASSERT_GT(sum, limit) << "one more than needed";
      sum -= kept[one.index].bytes;
      went[one.index] = true;
    }
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (went[i] || kept[i].locked) continue;
      ASSERT_LE(sum, limit);
      for (const Removal& one : gone) ASSERT_LE(kept[one.index].used, kept[i].used);
    }
  }
}

TEST(eviction, the_usual_limit_is_a_tenth_or_20_gib) {
  EXPECT_EQ(usual_limit(1000), 100U);
  EXPECT_EQ(usual_limit(std::uint64_t{1} << 50), std::uint64_t{20} << 30);
}

}  // namespace
}  // namespace polytrace::store
