// SPDX-License-Identifier: Apache-2.0
#include "base/seeded_hash.hpp"

#include <gtest/gtest.h>

#include <string>

namespace polytrace::base {
namespace {

// As merged traces have them: the same numbers, each input's with a mark of its own in the high
// bits.
TEST(seeded_hash, ids_that_differ_in_high_bits_alone_take_no_more_room_than_others) {
  constexpr Id kIds = 100'000;
  IdMap<Id> marked;
  IdSet plain;
  for (Id id = 0; id < kIds; ++id) marked[(id << 40) | 8] = id;
  for (Id id = 0; id < kIds; ++id) plain.insert(id);
  EXPECT_EQ(marked.size(), kIds);
  EXPECT_EQ(marked.bucket_count(), plain.bucket_count());
  EXPECT_EQ(marked.at((Id{77} << 40) | 8), 77U);
}

TEST(seeded_hash, texts_are_found_by_their_content) {
  tsl::robin_map<std::string, int, SeededHash> numbers{{"one", 1}, {"two", 2}};
  EXPECT_EQ(numbers.at(std::string("t") + "wo"), 2);
  EXPECT_EQ(SeededHash{}(std::string_view("two")), SeededHash{}(std::string_view("two")));
}

}  // namespace
}  // namespace polytrace::base
