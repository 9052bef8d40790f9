// SPDX-License-Identifier: Apache-2.0
#include "warehouse/ids.hpp"

#include <gtest/gtest.h>

#include <set>

namespace polytrace::warehouse {
namespace {

TEST(ids, are_the_same_everywhere) {
  const std::uint64_t id = frame_id(FrameKind::method, "Shop.buy(int)", "Shop.java", 7, 1);
  EXPECT_EQ(id, frame_id(FrameKind::method, "Shop.buy(int)", "Shop.java", 7, 1));
  // What lies in stores already must stay what it is.
  EXPECT_EQ(frame_id(FrameKind::method, "a", "", 0, 0), 7213291776144092241U);
  const std::uint64_t frames[] = {1, 2};
  EXPECT_EQ(stack_id(frames, 0)[0], std::byte{0x55});
  EXPECT_EQ(stack_id(frames, 0)[15], std::byte{0x25});
}

TEST(ids, differ_where_anything_does) {
  const std::set<std::uint64_t> frames = {
      frame_id(FrameKind::method, "ab", "", 0, 0), frame_id(FrameKind::type, "ab", "", 0, 0),
      frame_id(FrameKind::method, "a", "b", 0, 0), frame_id(FrameKind::method, "ab", "", 1, 0),
      frame_id(FrameKind::method, "ab", "", 0, 1)};
  EXPECT_EQ(frames.size(), 5U);
  const std::uint64_t one[] = {1, 2}, other[] = {2, 1};
  EXPECT_NE(stack_id(one, 0), stack_id(other, 0));
  EXPECT_NE(stack_id(one, 0), stack_id(one, 1));
}

TEST(ids, groups_are_without_host_and_instance) {
  const Labels here{"shop", "1", "a", "1", "jvm", "polytrace", {{"region", "eu"}, {"az", "1"}}};
  Labels there = here;
  there.host = "b";
  EXPECT_NE(series_id(here, 0), series_id(there, 0));
  EXPECT_EQ(group_id(here, 0), group_id(there, 0));
  std::swap(there.free[0], there.free[1]);
  there.host = here.host;
  EXPECT_EQ(series_id(here, 0), series_id(there, 0));
  there.version = "2";
  EXPECT_NE(group_id(here, 0), group_id(there, 0));
}

}  // namespace
}  // namespace polytrace::warehouse
