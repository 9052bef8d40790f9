// SPDX-License-Identifier: Apache-2.0
// Keys in any order, and slots, which are made when asked for.
#include "history/layout/key_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace polytrace::history {
namespace {

using testing::ElementsAre;

std::vector<Key> keys_in_order(const KeyList& keys) {
  std::vector<Key> ordered;
  for (const std::uint32_t index : keys.in_order()) ordered.push_back(keys[index].key);
  return ordered;
}

TEST(key_list, order_is_that_of_keys_however_they_come) {
  KeyList keys;
  for (const Key key : {Key{1}, Key{5}, Key{9}}) keys.add(key);
  EXPECT_THAT(keys_in_order(keys), ElementsAre(1, 5, 9));
  keys.add(3);
  EXPECT_THAT(keys_in_order(keys), ElementsAre(1, 3, 5, 9));
  keys.add(11);  // ascends, but the indexes before it do not
  EXPECT_THAT(keys_in_order(keys), ElementsAre(1, 3, 5, 9, 11));
  keys.add(0);
  keys.add(kNoKey - 1);
  EXPECT_THAT(keys_in_order(keys), ElementsAre(0, 1, 3, 5, 9, 11, kNoKey - 1));
  EXPECT_EQ(keys.in_order().back(), 6U);
}

TEST(key_list, slots_are_given_by_class_in_order_of_listing) {
  KeyList keys;
  for (Key key = 0; key < 4; ++key) keys.add(key);
  keys[2].code = keys[0].code = code_of(Type::integer);
  for (const std::uint32_t index : {2U, 1U, 0U, 3U}) keys.list(index);
  EXPECT_THAT(keys.slots(class_of(code_of(Type::integer))), ElementsAre(2, 0));
  EXPECT_THAT(keys.slots(class_of(kOpenCode)), ElementsAre(1, 3));
  // A type that comes later: a slot in its class, and the old one stays.
  keys[1].code = code_of(Type::integer);
  keys.list(1);
  EXPECT_THAT(keys.slots(class_of(code_of(Type::integer))), ElementsAre(2, 0, 1));
  EXPECT_THAT(keys.slots(class_of(kOpenCode)), ElementsAre(1, 3));
  EXPECT_EQ(keys[1].slot, 2U);
  EXPECT_EQ(keys[1].open_slot, 0U);
  EXPECT_TRUE(keys.slots(class_of(code_of(Type::string))).empty());
}

}  // namespace
}  // namespace polytrace::history
