// SPDX-License-Identifier: Apache-2.0
#include "collector/keep/packed_block.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace polytrace::collector {
namespace {

Block one_block(const std::string& name = "Shop.sell") {
  Rows rows;
  for (std::uint64_t i = 1; i < 200; ++i)
    rows.of<warehouse::Frame>().push_back({.id = i, .kind = 1, .name = name, .seen = 20'000});
  Block block = std::move(blocks_of(rows).at(0));
  block.database = "pt_shop";
  block.origin = {"edge-1", 7, 2};
  return block;
}

TEST(packed_block, tells_what_it_is_by_its_first_bytes) {
  const Block block = one_block();
  const auto packed = pack(block);
  const base::Bytes all(packed);
  const auto look = look_at_packed(all);
  ASSERT_TRUE(look);
  EXPECT_EQ(look->block.table, block.table);
  EXPECT_EQ(look->block.database, block.database);
  EXPECT_EQ(look->block.origin, block.origin);
  EXPECT_EQ(look->block.day, block.day);
  EXPECT_EQ(look->row_bytes, block.bytes.size());
  EXPECT_EQ(look->block.bytes.size(), 0U);
  const std::size_t head = packed.size() - packed_rows(packed).size();
  EXPECT_FALSE(look_at_packed(all.first(head)));
  EXPECT_FALSE(look_at_packed(all.first(head / 2)));
  EXPECT_TRUE(look_at_packed(all.first(head + 16)));
}

TEST(packed_block, rows_that_came_packed_stay_so) {
  Block block = one_block();
  const auto packed = pack(block);
  block.packed = packed_rows(packed);
  EXPECT_FALSE(block.packed.empty());
  EXPECT_EQ(pack(block), packed);
  const auto again = unpack(packed);
  ASSERT_TRUE(again);
  EXPECT_TRUE(std::ranges::equal(again->bytes.view(), block.bytes.view()));
  EXPECT_EQ(again->rows, block.rows);
}

TEST(packed_block, damage_anywhere_is_seen) {
  const Block block = one_block();
  const auto packed = pack(block);
  for (std::size_t at = 0; at < packed.size(); ++at) {
    auto other = packed;
    other[at] ^= std::byte{0x10};
    const auto got = unpack(other);
    if (got) {
      EXPECT_TRUE(std::ranges::equal(got->bytes.view(), block.bytes.view())) << at;
    }
    static_cast<void>(look_at_packed(other));
    EXPECT_FALSE(unpack(base::Bytes(packed).first(at))) << at;
  }
  auto longer = packed;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(unpack(longer));
}

TEST(blocks, as_they_would_be_made_are_told_from_others) {
  EXPECT_TRUE(is_as_made(one_block()));
  const auto wrong = [](const std::function<void(Block&)>& change) {
    Block other = one_block();
    change(other);
    return !is_as_made(other);
  };
  EXPECT_TRUE(wrong([](Block& other) { ++other.rows; }));
  EXPECT_TRUE(wrong([](Block& other) { ++other.day; }));
  EXPECT_TRUE(wrong([](Block& other) { other.totals.push_back({}); }));
  EXPECT_TRUE(wrong([](Block& other) { other.table = warehouse::Stack::kTable; }));
  EXPECT_TRUE(wrong([](Block& other) { other.columns += ", more"; }));
  EXPECT_TRUE(wrong([](Block& other) { other.bytes.byte(0); }));
  EXPECT_TRUE(wrong([](Block& other) { other.bytes.clear(); }));
}

// The length of the first name in two bytes instead of one: rows as good as others, but not the
// bytes that everybody makes of them, by which a batch is known again.
TEST(blocks, with_longer_numbers_are_made_anew) {
  const Block block = one_block();
  std::vector<std::byte> bytes(block.bytes.view().begin(), block.bytes.view().end());
  constexpr std::size_t kLength = 9;  // behind the id and the kind
  ASSERT_EQ(bytes[kLength], std::byte{9});
  bytes[kLength] = std::byte{0x89};
  bytes.insert(bytes.begin() + kLength + 1, std::byte{0});
  Block longer = one_block();
  longer.bytes.clear();
  longer.bytes.bytes(bytes);
  EXPECT_FALSE(is_as_made(longer));
  const auto anew = made_anew(longer, 1);
  ASSERT_EQ(anew.size(), 1U);
  EXPECT_TRUE(std::ranges::equal(anew[0].bytes.view(), block.bytes.view()));
}

}  // namespace
}  // namespace polytrace::collector
