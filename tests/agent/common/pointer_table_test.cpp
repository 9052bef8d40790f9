// SPDX-License-Identifier: Apache-2.0
#include "agent/common/tools/pointer_table.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <set>
#include <thread>

namespace polytrace {
namespace {

using agent::Locked;
using agent::PointerTable;

const void* key(std::uintptr_t number) { return reinterpret_cast<const void*>(8 * number); }

void put(PointerTable& table, std::uintptr_t number, std::uint64_t value) {
  const Locked locked(table);
  ASSERT_TRUE(table.put(key(number), value));
}

TEST(pointer_table, knows_nothing_before_it_is_told) {
  PointerTable table;
  EXPECT_EQ(table.find(key(1)), 0U);
  table.for_each([](const void*) { FAIL(); });
}

TEST(pointer_table, keeps_every_key_while_it_grows) {
  PointerTable table;
  constexpr std::uintptr_t kKeys = 30'000;
  for (std::uintptr_t i = 1; i <= kKeys; ++i) {
    put(table, i, i + 7);
    ASSERT_EQ(table.find(key(i)), i + 7);
    ASSERT_EQ(table.find(key(i / 2 + 1)), i / 2 + 8);
    ASSERT_EQ(table.find(key(i + 1)), 0U);
  }
  std::set<const void*> seen;
  table.for_each([&](const void* found) { seen.insert(found); });
  EXPECT_EQ(seen.size(), kKeys);
}

// Methods come and go for as long as a program runs: what is forgotten takes no memory for ever.
TEST(pointer_table, does_what_a_map_does) {
  PointerTable table;
  std::map<std::uintptr_t, std::uint64_t> model;
  std::mt19937_64 random(17);
  for (int i = 0; i < 100'000; ++i) {
    const std::uintptr_t number = 1 + random() % 3000;
    const std::uint64_t value = random() % 3 == 0 ? 0 : random() | 1;
    put(table, number, value);
    if (value == 0) model.erase(number);
    else model[number] = value;
    const std::uintptr_t other = 1 + random() % 3000;
    ASSERT_EQ(table.find(key(other)), model.contains(other) ? model[other] : 0);
  }
  std::set<const void*> seen;
  table.for_each([&](const void* found) { seen.insert(found); });
  EXPECT_EQ(seen.size(), model.size());
  for (const auto& [number, value] : model) EXPECT_TRUE(seen.contains(key(number)));
}

// Addresses that collide: multiples of a large power of two.
TEST(pointer_table, tells_apart_what_lies_in_one_place) {
  PointerTable table;
  for (std::uintptr_t i = 1; i < 1000; ++i) put(table, i << 40, i);
  for (std::uintptr_t i = 1; i < 1000; ++i) EXPECT_EQ(table.find(key(i << 40)), i);
}

// A key is never seen with a value that it never had, and never lost once it was seen.
TEST(pointer_table, is_read_while_it_is_written) {
  PointerTable table;
  constexpr std::uintptr_t kKeys = 20'000;
  std::atomic<std::uintptr_t> told = 0;
  std::atomic<int> wrong = 0;
  const auto read = [&] {
    std::mt19937_64 random(3);
    for (std::uintptr_t until = 0; until < kKeys;) {
      until = told.load(std::memory_order_acquire);
      const std::uintptr_t number = 1 + random() % kKeys;
      const std::uint64_t value = table.find(key(number));
      if (value != (number <= until ? number : value == 0 ? 0 : number)) ++wrong;
      if (random() % 1000 == 0)
        table.for_each([&](const void* found) { wrong += found == nullptr ? 1 : 0; });
    }
  };
  std::thread one(read);
  std::thread other(read);
  for (std::uintptr_t i = 1; i <= kKeys; ++i) {
    put(table, i, i);
    told.store(i, std::memory_order_release);
  }
  one.join();
  other.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace polytrace
