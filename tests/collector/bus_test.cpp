// SPDX-License-Identifier: Apache-2.0
#include "collector/bus/bus.hpp"

#include <gtest/gtest.h>

#include <set>

#include "collector/bus/bus_control.hpp"
#include "collector/keep/packed_block.hpp"

namespace polytrace::collector {
namespace {

TEST(bus_subjects, are_read_as_they_were_written) {
  const std::string text = subject_text({"shop", "profile_10s", 63});
  EXPECT_EQ(text, "pt.v1.shop.rows.profile_10s.63");
  const auto subject = parse_subject(text);
  ASSERT_TRUE(subject);
  EXPECT_EQ(subject->tenant, "shop");
  EXPECT_EQ(subject->table, "profile_10s");
  EXPECT_EQ(subject->lane, 63U);
}

TEST(bus_subjects, of_anything_else_are_none) {
  for (const std::string_view text :
       {"", "pt.v1.", "pt.v1.shop.rows", "pt.v1.shop.rows.", "pt.v1.shop.rows.frames",
        "pt.v1.shop.rows.frames.64", "pt.v1.shop.rows.frames.-1", "pt.v1.shop.rows.frames.1x",
        "pt.v1..rows.frames.1", "pt.v1.shop.rows..1", "pt.v1.a.b.rows.frames.1",
        "pt.v1.shop.rows.a.b.1", "pt.v2.shop.rows.frames.1", "pt.v1.shop.cmd.frames.1",
        "pt.v1.shop.rows.frames.1.rows.frames.1", "x.pt.v1.shop.rows.frames.1"})
    EXPECT_FALSE(parse_subject(text)) << text;
}

TEST(bus_subjects, of_edges_name_tenant_and_edge) {
  const EdgeSubject edge{"shop", "edge-0123456789abcdef"};
  EXPECT_EQ(edge_subject(edge, "cmd"), "pt.v1.shop.cmd.edge-0123456789abcdef");
  for (const std::string_view verb : {"here", "cmd", "said.00ff"}) {
    const auto read = parse_edge_subject(edge_subject(edge, verb), verb);
    ASSERT_TRUE(read) << verb;
    EXPECT_EQ(read->tenant, edge.tenant);
    EXPECT_EQ(read->edge, edge.edge);
  }
  for (const std::string_view text :
       {"", "pt.v1.", "pt.v1.shop.here", "pt.v1.shop.here.", "pt.v1..here.e", "pt.v1.a.b.here.e",
        "pt.v1.shop.here.e.f", "pt.v2.shop.here.e", "pt.v1.shop.cmd.e", "x.pt.v1.shop.here.e",
        "pt.v1.shop.here.here.e"})
    EXPECT_FALSE(parse_edge_subject(text, "here")) << text;
}

TEST(bus_lanes, spread_edges_and_stay) {
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string edge = "edge-" + std::to_string(i);
    const std::uint32_t lane = lane_of(edge);
    EXPECT_LT(lane, kLanes);
    EXPECT_EQ(lane, lane_of(edge));
    seen.insert(lane);
  }
  EXPECT_EQ(seen.size(), kLanes);
}

std::vector<Block> names(std::size_t count, std::size_t enough) {
  Rows rows;
  for (std::size_t i = 0; i < count; ++i) {
    warehouse::Frame row;
    row.id = i * 0x9e3779b97f4a7c15U;
    for (int part = 0; part < 50; ++part) row.name += std::to_string(row.id * (part + 3U));
    row.seen = 20'000;
    rows.of<warehouse::Frame>().push_back(row);
  }
  return blocks_of(rows, 1, enough);
}

// Each fits a message, packed or not, and all of them are all rows.
TEST(bus_blocks, are_as_small_as_messages) {
  const auto small = names(4000, kEnoughBytesOfMessage);
  EXPECT_GT(small.size(), 3U);
  std::uint64_t rows = 0;
  for (const Block& block : small) {
    EXPECT_LE(pack(block).size(), kMostMessage);
    EXPECT_LE(block.bytes.view().size(), kMostMessage);
    rows += block.rows;
  }
  EXPECT_EQ(rows, 4000U);
}

TEST(bus_blocks, that_were_larger_are_made_anew_the_same_way) {
  const auto large = names(4000, kEnoughBytesOfBlock);
  const auto small = names(4000, kEnoughBytesOfMessage);
  ASSERT_EQ(large.size(), 1U);
  const auto again = made_anew(large[0], 1, kEnoughBytesOfMessage);
  ASSERT_EQ(again.size(), small.size());
  for (std::size_t i = 0; i < small.size(); ++i) EXPECT_EQ(pack(again[i]), pack(small[i]));
  auto damaged = names(10, kEnoughBytesOfBlock);
  ++damaged[0].rows;
  EXPECT_TRUE(made_anew(damaged[0], 1, kEnoughBytesOfMessage).empty());
}

}  // namespace
}  // namespace polytrace::collector
