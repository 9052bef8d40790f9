// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/profile/profile.hpp"

namespace polytrace::analysis {
namespace {

TEST(profile_diff, keeps_both_sums_and_joins_by_name) {
  const Weight* time = find_weight("time");
  const auto profile = [&](std::vector<std::string> names, std::vector<std::uint64_t> selfs) {
    Profile out;
    out.weight = time;
    out.nodes.emplace_back();
    out.selfs.emplace_back();
    for (std::uint32_t i = 0; i < names.size(); ++i) {
      out.frames.push_back({names[i]});
      out.nodes.push_back({i == 0 ? 0 : 1U, i});
      out.selfs.push_back({1, selfs[i]});
    }
    return out;
  };
  const Profile before = profile({"Shop:Main ()", "Shop:Gone ()"}, {5, 100});
  const Profile after = profile({"Shop.main", "Shop.fresh"}, {7, 30});
  const Profile both = compared(after, before, false);
  EXPECT_EQ(both.frames.size(), 3U);
  EXPECT_EQ(both.value(both.totals(both.befores)[0]), 105U);
  EXPECT_EQ(both.value(both.total()), 37U);
  EXPECT_EQ(compared(after, before, true).frames.size(), 4U);
  const Table table = tree_difference(both, 1, 0.01, {});
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(table.rows[1].back(), Cell{std::string("Shop:Gone ()")});
  EXPECT_EQ(table.rows[1][3], Cell{std::int64_t{-100}});
  EXPECT_EQ(table.rows[2][3], Cell{std::int64_t{30}});
}

}  // namespace
}  // namespace polytrace::analysis
