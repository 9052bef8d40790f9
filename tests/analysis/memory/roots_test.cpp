// SPDX-License-Identifier: Apache-2.0
#include "analysis/sections.hpp"

#include "analysis/asked.hpp"

namespace polytrace::test {
namespace {

using analysis::make_roots;
using event::RegionStage;
using event::Root;
using event::RootRegion;
using event::RootSource;

RootRegion region(RootSource source, std::string_view name) {
  RootRegion out;
  out.size = 64;
  out.source = source;
  out.name = name;
  return out;
}
Root at(base::Id address) {
  Root out;
  out.address = address;
  return out;
}
Root old(std::uint32_t flags) {
  Root out;
  out.flags = flags;
  return out;
}

TEST(roots, lie_in_the_region_with_the_greatest_start_below) {
  event::Batch batch;
  Stream(batch, kMain)
      .add(50, 0xa, at(0xfff))
      .add(50, 0xb, at(0x1000))
      .add(50, 0xc, at(0x1fff))
      .add(50, 0xd, at(0x2008));
  // Told later in the trace than the roots.
  Stream(batch, kOther)
      .add(1, 0x1000, region(RootSource::static_field, "Statics"))
      .add(2, 0x2000, region(RootSource::stack, "Stack"));
  Asked asked(make_roots({}));
  asked.feed(batch).finish();
  const Table table = asked.table("roots");
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(text(table, 0, "source"), "static field");
  EXPECT_EQ(number(table, 0, "roots"), 2U);
  EXPECT_EQ(text(table, 1, "source"), "(no registered region)");
  EXPECT_EQ(number(table, 1, "roots"), 1U);
  EXPECT_EQ(text(table, 2, "source"), "stack");
  EXPECT_EQ(number(table, 2, "roots"), 1U);
}

TEST(roots, regions_live_from_registration_to_removal) {
  event::Batch batch;
  RootRegion gone;
  gone.stage = RegionStage::unregistered;
  Stream(batch, kMain)
      .add(10, 0x1000, region(RootSource::jit, "First"))
      .add(30, 0x1000, gone)
      .add(40, 0x1000, region(RootSource::stack, "Second"));
  Stream(batch, kOther)
      .add(5, 1, at(0x1000))
      .add(20, 1, at(0x1000))
      .add(35, 1, at(0x1000))
      .add(45, 1, at(0x1000))
      .add(46, 1, at(0x1000));
  Asked asked(make_roots({}));
  asked.feed(batch).finish();
  const Table regions = asked.table("root_regions");
  ASSERT_EQ(regions.rows.size(), 2U);
  EXPECT_EQ(text(regions, 0, "region"), "Second");
  EXPECT_EQ(number(regions, 0, "roots"), 2U);
  EXPECT_EQ(text(regions, 1, "region"), "First");
  EXPECT_EQ(number(regions, 1, "roots"), 1U);
  EXPECT_EQ(number(regions, 1, "unregistered"), 1U);
}

TEST(roots, more_than_may_wait_are_all_counted) {
  event::Batch batch;
  Stream main(batch, kMain);
  main.add(1, 0x1000, region(RootSource::domain, "Domain"));
  for (int i = 0; i < 300'000; ++i) main.add(2 + i, 1, at(0x1000));
  Asked asked(make_roots({}));
  for (int i = 0; i < 5; ++i) asked.feed(batch);
  EXPECT_EQ(number(asked.finish().table("roots"), 0, "roots"), 1'500'000U);
}

TEST(roots, kinds_of_older_recorders) {
  event::Batch batch;
  Stream(batch, kMain).add(1, 1, old(0x101)).add(1, 2, old(0x101)).add(1, 3, old(0x600));
  Asked asked(make_roots({}));
  asked.feed(batch).finish();
  const Table table = asked.table("root_kinds");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(text(table, 0, "kind"), "finalizer, pinning");
  EXPECT_EQ(number(table, 0, "roots"), 2U);
  EXPECT_EQ(text(table, 1, "kind"), "stack, weak, interior");
}

}  // namespace
}  // namespace polytrace::test
