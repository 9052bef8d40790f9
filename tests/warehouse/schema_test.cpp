// SPDX-License-Identifier: Apache-2.0
#include "warehouse/schema.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>

#include "warehouse/rows.hpp"

namespace polytrace::warehouse {
namespace {

// "series UInt64, service UInt64": the columns of a statement, by its table.
std::map<std::string, std::string> columns_of_statements() {
  static const std::regex kTable(R"(CREATE TABLE IF NOT EXISTS shop\.(\w+) \(([^;]*?)\)\s+ENGINE)");
  std::map<std::string, std::string> found;
  for (const std::string& statement : schema_statements("shop", Engines::single)) {
    std::smatch match;
    if (std::regex_search(statement, match, kTable))
      found[match[1]] = std::regex_replace(match[2].str(), std::regex("\\s+"), " ");
  }
  return found;
}

std::string in_sql(std::string_view type) {
  std::string text(type);
  for (char& c : text) c = c == '<' ? '(' : c == '>' ? ')' : c;
  return text == "FixedString16" ? "FixedString(16)" : text;
}

TEST(schema, statements_and_rows_have_the_same_columns) {
  auto statements = columns_of_statements();
  std::size_t tables = 0;
  visit_tables([&]<class Row>(const Row& row) {
    std::string columns;
    visit_columns(row, [&](std::string_view name, std::string_view type, const auto&) {
      if (!columns.empty()) columns += ", ";
      columns += std::string(name) + " " + in_sql(type);
    });
    EXPECT_EQ(statements[std::string(Row::kTable)], columns) << Row::kTable;
    ++tables;
  });
  EXPECT_EQ(statements.size(), tables);
}

TEST(schema, makes_the_database_first_and_leaves_no_mark) {
  const auto all = schema_statements("shop", Engines::single);
  EXPECT_EQ(all.front(), "CREATE DATABASE IF NOT EXISTS shop");
  for (const std::string& statement : all) {
    EXPECT_EQ(statement.find('{'), std::string::npos) << statement;
    EXPECT_EQ(statement.find("--"), std::string::npos) << statement;
  }
}

TEST(schema, a_cluster_has_a_table_more_for_each) {
  const auto all = cluster_statements("shop", "fleet");
  std::size_t tables = 0;
  visit_tables([&](const auto&) { ++tables; });
  EXPECT_EQ(all.size(), tables);
  EXPECT_NE(std::ranges::find(all,
                              "CREATE TABLE IF NOT EXISTS shop.stacks_all AS shop.stacks ENGINE = "
                              "Distributed(fleet, shop, stacks)"),
            all.end());
}

TEST(schema, engines_are_those_of_one_server_or_of_replicas) {
  const auto has = [](Engines engines, std::string_view text) {
    for (const std::string& statement : schema_statements("shop", engines))
      if (statement.find(text) != std::string::npos) return true;
    return false;
  };
  EXPECT_TRUE(has(Engines::single, "ENGINE = ReplacingMergeTree(last) PARTITION"));
  EXPECT_TRUE(has(Engines::single, "ENGINE = ReplacingMergeTree() PARTITION"));
  EXPECT_TRUE(has(Engines::replicated,
                  "ENGINE = ReplicatedReplacingMergeTree('/polytrace/shop/{shard}/series', "
                  "'{replica}', last) PARTITION"));
  EXPECT_TRUE(has(Engines::replicated,
                  "ENGINE = ReplicatedMergeTree('/polytrace/shop/{shard}/profile_1m', "
                  "'{replica}') PARTITION"));
}

TEST(schema, a_table_like_another_is_of_one_server) {
  const std::string text = table_statement("shop", "profile_1h", "profile_1h_stage_1");
  EXPECT_TRUE(text.starts_with("CREATE TABLE shop.profile_1h_stage_1 (service UInt64, ")) << text;
  EXPECT_NE(text.find("ENGINE = MergeTree() PARTITION BY toYYYYMMDD(t)"), std::string::npos)
      << text;
  EXPECT_EQ(table_statement("shop", "nothing", "x"), "");
}

}  // namespace
}  // namespace polytrace::warehouse
