// SPDX-License-Identifier: Apache-2.0
#include "base/io/spill_sorter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "base/io/cursor.hpp"

namespace polytrace::base {
namespace {

struct Item {
  std::uint32_t by = 0;
  std::uint32_t number = 0;  // in order of add()
  friend bool operator==(const Item&, const Item&) = default;
};

struct ByFirst {
  std::uint32_t operator()(const Item& item) const { return item.by; }
};

// Items of different lengths, told as differences.
struct Packing {
  using Item = base::Item;
  static void pack(Appender& out, const Item& item, const Item& before) {
    out.fixed(item.by - before.by);
    out.fixed(item.number);
    out.text(std::string(item.number % 7, 'x'));
  }
  static void unpack(SpilledRun& in, Item& item) {
    const std::byte* at = in.want(8);
    item.by += load_le<std::uint32_t>(at);
    item.number = load_le<std::uint32_t>(at + 4);
    in.take_to(at + 8);
    in.take_to(in.want(item.number % 7) + item.number % 7);
  }
};

using Sorter = SpillSorter<Packing, ByFirst>;

std::vector<Item> delivered(Sorter& sorter) {
  std::vector<Item> all;
  EXPECT_TRUE(sorter.deliver([&](const Item& item) { return all.push_back(item), true; }));
  return all;
}

// The least memory holds 8192 of them: none, one, several runs in the file.
class spill_sorter : public testing::TestWithParam<std::uint32_t> {};

void hold(const std::vector<Item>& items) {
  Sorter sorter(0);
  for (const Item& item : items) sorter.add(item);
  EXPECT_EQ(sorter.size(), items.size());
  std::vector<Item> expected = items;
  std::ranges::stable_sort(expected, {}, &Item::by);
  EXPECT_TRUE(delivered(sorter) == expected);
}

TEST_P(spill_sorter, puts_any_order_right_and_keeps_that_of_equals) {
  std::mt19937 engine(7);
  std::vector<Item> items;
  for (std::uint32_t i = 0; i < GetParam(); ++i)
    items.push_back({static_cast<std::uint32_t>(engine() % 1000), i});
  hold(items);
}

TEST_P(spill_sorter, merges_what_comes_in_orderly_pieces) {
  std::vector<Item> items;
  for (std::uint32_t i = 0; i < GetParam(); ++i) items.push_back({i % 100 / 2, i});
  hold(items);
}

TEST_P(spill_sorter, keeps_what_is_in_order) {
  std::vector<Item> items;
  for (std::uint32_t i = 0; i < GetParam(); ++i) items.push_back({i / 3, i});
  hold(items);
}

INSTANTIATE_TEST_SUITE_P(sizes, spill_sorter,
                         testing::Values(0U, 1U, 5000U, 8192U, 8193U, 60'000U));

TEST(spill_sorter_end, comes_when_it_is_asked_for) {
  for (const std::uint32_t count : {100U, 20'000U}) {
    Sorter sorter(0);
    for (std::uint32_t i = 0; i < count; ++i) sorter.add({count - i, i});
    std::uint32_t next = 0;
    EXPECT_TRUE(sorter.deliver([&](const Item& item) {
      EXPECT_EQ(item.by, ++next);
      return next < 10;
    }));
    EXPECT_EQ(next, 10U);
  }
}

}  // namespace
}  // namespace polytrace::base
