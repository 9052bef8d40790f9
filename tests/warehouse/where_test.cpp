// SPDX-License-Identifier: Apache-2.0
#include "warehouse/where/where.hpp"

#include <gtest/gtest.h>

#include <random>

#include "base/codes.hpp"

namespace polytrace::warehouse {
namespace {

using Dice = std::mt19937;

std::string random_text(Dice& random) {
  static constexpr std::string_view kHard = "\"\\'`;-()=~! \n\t,inandornot\0\x80\xff{}";
  std::string text;
  for (unsigned i = random() % 8; i > 0; --i) text += kHard[random() % kHard.size()];
  return text;
}

Where random_test(Dice& random) {
  static const char* const kKeys[]{"service", "host", "region", "_x.y9", "in", "or_", "not_a"};
  Where where{.kind = Where::Kind::test};
  where.key = kKeys[random() % std::size(kKeys)];
  where.test = static_cast<Where::Test>(random() % 5);
  const unsigned values = where.test == Where::Test::one_of ? 1 + random() % 3 : 1;
  for (unsigned i = 0; i < values; ++i) where.values.push_back(random_text(random));
  return where;
}

// As the parser makes it: all_of and any_of have two parts or more.
Where random_where(Dice& random, unsigned depth) {
  if (depth == 0 || random() % 3 == 0) return random_test(random);
  Where where{.kind = static_cast<Where::Kind>(2 + random() % 3)};
  const unsigned parts = where.kind == Where::Kind::negation ? 1 : 2 + random() % 2;
  for (unsigned i = 0; i < parts; ++i) where.parts.push_back(random_where(random, depth - 1));
  return where;
}

// What SQL reads of a literal: nothing where it ends early or late.
std::string unescaped(std::string_view literal) {
  EXPECT_TRUE(literal.size() >= 2 && literal.front() == '\'' && literal.back() == '\'');
  std::string text;
  for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
    EXPECT_NE(literal[i], '\'') << literal;
    if (literal[i] == '\\') {
      ++i;
      EXPECT_LT(i + 1, literal.size()) << literal;
      text += literal[i] == '0' ? '\0' : literal[i];
    } else {
      text += literal[i];
    }
  }
  return text;
}

TEST(where, prints_what_parses_to_the_same) {
  Dice random(3);
  for (int i = 0; i < 3000; ++i) {
    const Where where = random_where(random, 4);
    const auto again = parse_where(to_text(where));
    ASSERT_TRUE(again) << to_text(where) << base::to_text(again.error());
    EXPECT_EQ(*again, where) << to_text(where);
  }
}

TEST(where, literals_hold_any_text_and_end_where_they_should) {
  Dice random(4);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = random_text(random);
    EXPECT_EQ(unescaped(sql_text(text)), text);
  }
}

TEST(where, sql_is_what_was_meant) {
  const auto sql = [](std::string_view text) { return to_sql(parse_where(text).value()); };
  EXPECT_EQ(sql(""), "1");
  EXPECT_EQ(sql("service=\"shop\""), "service_name = 'shop'");
  EXPECT_EQ(sql("host != a-1"), "host != 'a-1'");
  EXPECT_EQ(sql("region=~\"^eu\" and version in (\"1\", 2)"),
            "(match(label_values[indexOf(label_names, 'region')], '^eu')) AND (version IN ('1', "
            "'2'))");
  EXPECT_EQ(sql("not a!~\"x'\" or b=\"\""),
            "(NOT (NOT match(label_values[indexOf(label_names, 'a')], 'x\\''))) OR "
            "(label_values[indexOf(label_names, 'b')] = '')");
  EXPECT_EQ(sql("a=1 and (b=2 or c=3)"), sql("a=1, (b=2 or c=3)"));
}

TEST(where, what_is_wrong_has_its_column) {
  const std::pair<std::string, unsigned> all[]{
      {"service", 8},        {"service=", 9}, {"=\"a\"", 1},  {"a=\"b", 3},   {"a=b c=d", 5},
      {"a=b and", 8},        {"(a=b", 5},     {"a in b", 6},  {"a in (b", 8}, {"not", 4},
      {"a=b or or c=d", 11}, {"a=b)", 4},     {"a in ()", 7}, {"1a=b", 1}};
  for (const auto& [text, column] : all) {
    const auto where = parse_where(text);
    ASSERT_FALSE(where) << text;
    EXPECT_EQ(where.error().code, base::Code::where_wrong);
    EXPECT_EQ(where.error().place.column, column) << text << ": " << where.error().detail;
  }
  EXPECT_FALSE(parse_where(std::string(100'000, '(')));
  EXPECT_FALSE(parse_where(std::string(5'000, '(')));
}

TEST(where, tells_what_it_asks_for) {
  const Where where = parse_where("a=1 and (b=2 or not host=c)").value();
  EXPECT_TRUE(asks_for(where, "host"));
  EXPECT_FALSE(asks_for(where, "instance"));
}

}  // namespace
}  // namespace polytrace::warehouse
