// SPDX-License-Identifier: Apache-2.0
#include "analysis/table/rows.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "analysis/table/cells.hpp"
#include "base/types.hpp"

namespace polytrace::analysis {
namespace {

Table sample() {
  Table table;
  table.columns = {{"n", "N", Unit::count}, {"name", "Name"}};
  table.rows = {{std::uint64_t{2}, std::string("b")},
                {std::int64_t{-1}, std::string("d")},
                {Cell{}, std::string("a")},
                {2.5, std::string("c")}};
  return table;
}

std::string order(const Table& table) {
  std::string all;
  for (const auto& row : table.rows) all += std::get<std::string>(row[1]);
  return all;
}

TEST(rows, numbers_descend_text_ascends_unknown_is_last) {
  Table table = sample();
  sort_and_limit(table, {}, "n");
  EXPECT_EQ(order(table), "cbda");
  table = sample();
  sort_and_limit(table, {.sort = "name"}, "n");
  EXPECT_EQ(order(table), "abcd");
}

TEST(rows, an_unknown_key_leaves_the_default) {
  Table table = sample();
  sort_and_limit(table, {.sort = "size"}, "n");
  EXPECT_EQ(order(table), "cbda");
  table = sample();
  sort_and_limit(table, {.sort = "size"}, "");
  EXPECT_EQ(order(table), "bdac");
}

TEST(rows, the_limit_is_said) {
  Table table = sample();
  sort_and_limit(table, {.sort = {}, .limit = 3}, "n");
  EXPECT_EQ(order(table), "cbd");
  EXPECT_EQ(table.rows_left_out, 1U);
  table = sample();
  sort_and_limit(table, {.sort = {}, .limit = 0}, "n");
  EXPECT_EQ(table.rows.size(), 4U);
}

TEST(rows, not_a_number_does_not_break_the_order) {
  Table table = sample();
  table.rows.push_back({std::numeric_limits<double>::quiet_NaN(), std::string("e")});
  sort_and_limit(table, {}, "n");
  EXPECT_EQ(order(table), "cbdea");
}

TEST(text, shares_and_spans) {
  EXPECT_EQ(share_text(1, 3), "33.3 %");
  EXPECT_EQ(share_text(0, 0), "0 %");
  EXPECT_EQ(
      base::elapsed(std::numeric_limits<base::Time>::min(), std::numeric_limits<base::Time>::max()),
      std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(base::elapsed(5, 3), 0U);
}

}  // namespace
}  // namespace polytrace::analysis
