// SPDX-License-Identifier: Apache-2.0
#include "collector/control/order.hpp"

#include <gtest/gtest.h>

#include "base/codes.hpp"

namespace polytrace::collector {
namespace {

Wish read_order_well(Verb verb, const std::string& json) {
  auto wish = parse_wish(verb, json);
  EXPECT_TRUE(wish) << json << ": " << (wish ? "" : base::to_text(wish.error()));
  return wish ? std::move(*wish) : Wish{};
}

TEST(collect_order, every_member_is_taken) {
  const Wish wish = read_order_well(
      Verb::level,
      R"({"where": "service=\"shop\"", "limit": 20, "rate": 2.5, "canary": 3, "wait": "90s",
          "events": ["gc", "monitors"], "filters": ["a b INCLUDE"], "duration": "2h",
          "size": "100m"})");
  EXPECT_EQ(wish.selection.where, "service=\"shop\"");
  EXPECT_EQ(wish.selection.limit, 20U);
  EXPECT_EQ(wish.selection.rate, 2.5);
  EXPECT_EQ(wish.selection.canary, 3U);
  EXPECT_EQ(wish.selection.wait.count(), 90'000);
  const std::vector<std::string> events{"gc", "monitors"}, filters{"a b INCLUDE"};
  EXPECT_EQ(wish.order.events, events);
  EXPECT_EQ(wish.order.filters, filters);
  EXPECT_EQ(wish.order.duration, std::chrono::hours(2));
  EXPECT_EQ(wish.order.limit_bytes, 100U << 20);
  EXPECT_EQ(read_order_well(Verb::annotate, R"({"where": "a=b", "text": "x"})").order.text, "x");
  const Wish plain = read_order_well(Verb::gc, R"({"where": "a=b"})");
  EXPECT_EQ(plain.selection.limit, 1U);
  EXPECT_EQ(plain.selection.canary, 1U);
  EXPECT_EQ(plain.selection.wait, std::chrono::seconds(60));
}

TEST(collect_order, an_edge_reads_what_a_hub_writes) {
  const Order order = read_order_well(Verb::level,
                                      R"({"where": "a=b", "events": ["gc"], "duration": "1500ms",
                                          "filters": ["x y INCLUDE"], "size": "4096"})")
                          .order;
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Form::one_line);
  json.begin_object();
  write_order(json, order);
  json.end_object();
  service::JsonBody body(text);
  Order again;
  {
    service::JsonMembers members = body.members();
    again = read_order(Verb::level, members);
  }
  EXPECT_EQ(body.fault(), "");
  EXPECT_EQ(again.events, order.events);
  EXPECT_EQ(again.filters, order.filters);
  EXPECT_EQ(again.duration.count(), 1500);
  EXPECT_EQ(again.limit_bytes, 4096U);
}

TEST(collect_order, what_is_none_is_refused) {
  for (const auto& [verb, json] : std::initializer_list<std::pair<Verb, std::string>>{
           {Verb::gc, ""},
           {Verb::gc, "[]"},
           {Verb::gc, R"({"where": ""})"},
           {Verb::gc, R"({"where": "a=b", "path": "/tmp/x"})"},
           {Verb::gc, R"({"where": "a=b", "events": ["gc"]})"},
           {Verb::gc, R"({"where": "a=b", "limit": 1001})"},
           {Verb::gc, R"({"where": "a=b", "rate": -1})"},
           {Verb::gc, R"({"where": "a=b", "wait": "11min"})"},
           {Verb::gc, R"({"where": "a=~\"[\""})"},
           {Verb::gc, R"({"where": "a=~\"(a{99}){99}\""})"},
           {Verb::gc, R"({"where": "a=~\"(a)\\\\1\""})"},
           {Verb::start, R"({"where": "a=b"})"},
           {Verb::start, R"({"where": "a=b", "duration": "25h"})"},
           {Verb::level, R"({"where": "a=b", "duration": "5s"})"},
           {Verb::filters, R"({"where": "a=b", "filters": ["a\nb"]})"},
           {Verb::annotate, R"({"where": "a=b"})"}})
    EXPECT_FALSE(parse_wish(verb, json)) << json;
}

TEST(collect_order, conditions_are_those_of_questions) {
  const warehouse::Labels labels{"shop", "2", "web-7", "17", "jvm", "", {{"zone", "eu-1"}}};
  for (const auto& [text, is_so] :
       std::initializer_list<std::pair<std::string_view, bool>>{{"", true},
                                                                {"service=shop", true},
                                                                {"service=sho", false},
                                                                {"service!=sho", true},
                                                                {"zone=eu-1 and host=web-7", true},
                                                                {"zone=eu-1 and host=web-8", false},
                                                                {"host=web-8 or instance=17", true},
                                                                {"not version in (1, 3)", true},
                                                                {"version in (1, 2)", true},
                                                                {"zone=~\"^eu\"", true},
                                                                {"zone=~\"^u\"", false},
                                                                {"host!~\"[89]$\"", true},
                                                                {"nothing=\"\"", true},
                                                                {"agent!=\"\"", false}}) {
    const auto where = parse_condition(text);
    ASSERT_TRUE(where) << text;
    EXPECT_EQ(matches(*where, labels), is_so) << text;
  }
}

}  // namespace
}  // namespace polytrace::collector
