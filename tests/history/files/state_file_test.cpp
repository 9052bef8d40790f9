// SPDX-License-Identifier: Apache-2.0
#include "history/files/state_file.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <random>

#include "base/codes.hpp"
#include "history/exchange.hpp"

namespace polytrace::history {
namespace {

using base::Code;

TypesFile types_of(std::initializer_list<Type> types) {
  TypesFile file;
  for (const Type type : types)
    file.types.push_back({.key = static_cast<Key>(file.types.size()), .type = type});
  return file;
}

// The one state of a timeline of that type, as its members say.
base::result<Value> read(Type type, std::string_view members, Texts& texts) {
  base::Notices notices;
  auto file = parse_state("[{\"key\": 0" + std::string(members) + "}]", types_of({type}), notices);
  if (!file) return base::Unexpected(file.error());
  if (file->states.empty()) return base::fail(notices.sorted().at(0).code);
  EXPECT_TRUE(notices.empty()) << members;
  const Value value = file->states[0].value;
  texts = std::move(file->texts);
  return value;
}

Value value(Type type, std::string_view members, Texts&& texts = {}) {
  const auto found = read(type, members, texts);
  EXPECT_TRUE(found) << members;
  return found.value_or(Value::null());
}

Code fault(Type type, std::string_view members) {
  Texts texts;
  const auto found = read(type, members, texts);
  EXPECT_FALSE(found) << members;
  return found ? Code::usage : found.error().code;
}

constexpr std::string_view kWhole = R"({"format":"state-snapshot","version":1,"minor":0,)"
                                    R"("history_id":"9f86d081884c7d659a2feaa0c55ad015",
"timestamp":1450192743562703624,"ticks_per_second":1000000000,"clock_offset":-5,
"states":[
{"key":0,"value":-9223372036854775808,"start":-9007199254740993,"end":9223372036854775807},
{"key":1,"value":"lttng-sessiond"},
{"key":2,"value":true},
{"key":3,"value":-17.0},
{"key":4},
{"key":5,"value":"AAEC"},
{"key":6,"type":"double","value":"NaN"},
{"key":7,"value":null}]}
)";

TypesFile whole_types() {
  return types_of({Type::integer, Type::string, Type::boolean, Type::real, Type::none, Type::bytes,
                   Type::any, Type::integer});
}

TEST(state_file, reads_what_it_wrote_byte_for_byte) {
  base::Notices notices;
  const auto file = parse_state(kWhole, whole_types(), notices);
  ASSERT_TRUE(file);
  EXPECT_TRUE(notices.empty());
  EXPECT_EQ(file->timestamp, 1450192743562703624);
  EXPECT_EQ(file->states[0].value, Value::of(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(file->states[0].start, -9007199254740993);
  EXPECT_EQ(file->states[4].value, Value::exists());
  EXPECT_EQ(file->states[5].value, Value::bytes(std::string_view("\0\1\2", 3)));
  EXPECT_EQ(to_json(*file, whole_types()), kWhole);
}

TEST(state_file, takes_the_proposal_verbatim) {
  base::Notices notices;
  const auto file = parse_state(test::data("proposal_state.txt"), TypesFile{}, notices);
  ASSERT_TRUE(file);
  EXPECT_TRUE(notices.empty());
  EXPECT_FALSE(file->timestamp.has_value());
  ASSERT_EQ(file->states.size(), 4U);
  EXPECT_EQ(file->states[0].value, Value::of(std::int64_t{1728}));
  EXPECT_EQ(file->states[1].value, Value::text("lttng-sessiond"));
  EXPECT_EQ(file->states[2].value, Value::of(true));
  EXPECT_EQ(file->states[3].value, Value::of(-17.23));
}

TEST(state_file, type_of_an_any_value_is_that_of_its_spelling) {
  EXPECT_EQ(value(Type::any, R"(, "value": 17)"), Value::of(std::int64_t{17}));
  EXPECT_EQ(value(Type::any, R"(, "value": 17.0)"), Value::of(17.0));
  EXPECT_EQ(value(Type::any, R"(, "value": 1e2)"), Value::of(100.0));
  Texts texts;
  EXPECT_EQ(*read(Type::any, R"(, "value": "NaN")", texts), Value::text("NaN"));
  EXPECT_EQ(value(Type::any, R"(, "type": "double", "value": "-Infinity")"),
            Value::of(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(*read(Type::any, R"(, "type": "bytes", "value": "YQ==")", texts), Value::bytes("a"));
  EXPECT_EQ(value(Type::any, R"(, "type": "none")"), Value::exists());
  EXPECT_EQ(value(Type::any, ""), Value::null());
}

TEST(state_file, double_may_be_spelled_as_an_integer_that_it_can_hold) {
  EXPECT_EQ(value(Type::real, R"(, "value": -17)"), Value::of(-17.0));
  EXPECT_EQ(value(Type::real, R"(, "value": "Infinity")"),
            Value::of(std::numeric_limits<double>::infinity()));
  EXPECT_EQ(fault(Type::real, R"(, "value": 9007199254740993)"), Code::type_conflict);
}

TEST(state_file, without_a_value_it_exists_or_is_null) {
  EXPECT_EQ(value(Type::none, ""), Value::exists());
  EXPECT_EQ(value(Type::none, R"(, "value": null)"), Value::null());
  EXPECT_EQ(value(Type::integer, ""), Value::null());
}

TEST(state_file, value_that_cannot_be_costs_its_state) {
  EXPECT_EQ(fault(Type::integer, R"(, "value": "1")"), Code::type_conflict);
  EXPECT_EQ(fault(Type::integer, R"(, "value": 1.0)"), Code::type_conflict);
  EXPECT_EQ(fault(Type::integer, R"(, "value": 9223372036854775808)"), Code::number_too_long);
  EXPECT_EQ(fault(Type::boolean, R"(, "value": 1)"), Code::type_conflict);
  EXPECT_EQ(fault(Type::string, R"(, "value": 1)"), Code::type_conflict);
  EXPECT_EQ(fault(Type::none, R"(, "value": 1)"), Code::type_conflict);
  EXPECT_EQ(fault(Type::any, R"(, "value": [])"), Code::type_conflict);
  EXPECT_EQ(fault(Type::integer, R"(, "type": "bool", "value": true)"), Code::type_conflict);
  EXPECT_EQ(fault(Type::bytes, R"(, "value": "YQ=")"), Code::value_unexpected);
  EXPECT_EQ(fault(Type::bytes, R"(, "value": "YR==")"), Code::value_unexpected);
  EXPECT_EQ(fault(Type::any, R"(, "type": "x-new", "value": 1)"), Code::value_unexpected);
  EXPECT_EQ(fault(Type::open, R"(, "value": 1)"), Code::value_unexpected);
}

TEST(state_file, refuses_what_breaks_the_schema) {
  for (const char* text :
       {"{}", R"({"states": []})", R"({"timestamp": 1})", R"({"timestamp": 1.5, "states": []})",
        R"({"timestamp": 1, "ticks_per_second": 0, "states": []})",
        R"({"timestamp": 1, "clock_offset": "x", "states": []})", "[1]", R"([{"value": 1}])",
        R"([{"key": 1}, {"key": 1}])", R"([{"key": 1, "start": 5, "end": 4}])",
        R"([{"key": 1, "value": 1, "value": 1}])", R"([{"key": 1, "value": tru}])",
        R"([{"key": 1, "value": 123456789012345678901234567890}])"}) {
    base::Notices notices;
    const auto file = parse_state(text, TypesFile{}, notices);
    ASSERT_FALSE(file) << text;
    EXPECT_EQ(file.error().code, Code::json_malformed) << text;
  }
}

TEST(state_file, text_that_ends_early_keeps_what_is_whole) {
  base::Notices none;
  const auto whole = parse_state(kWhole, whole_types(), none);
  for (std::size_t size = 0; size < kWhole.size(); ++size) {
    base::Notices notices;
    const auto file = parse_state(kWhole.substr(0, size), whole_types(), notices);
    if (!file) continue;
    ASSERT_LE(file->states.size(), whole->states.size());
    EXPECT_EQ(file->timestamp, whole->timestamp);
    for (std::size_t i = 0; i < file->states.size(); ++i)
      EXPECT_EQ(file->states[i].value, whole->states[i].value) << size;
    EXPECT_EQ(notices.exit_code(), size + 1 < kWhole.size() ? 4 : 0) << size;
  }
}

TEST(state_file, random_states_come_back) {
  constexpr std::array kTypes{Type::none,   Type::boolean, Type::integer, Type::real,
                              Type::string, Type::bytes,   Type::any};
  std::mt19937_64 engine(2);
  for (int round = 0; round < 200; ++round) {
    TypesFile types;
    StateFile file{.timestamp = static_cast<Tick>(engine())};
    for (Key key = 0; key < 30; ++key) {
      const Type type = kTypes[engine() % kTypes.size()];
      types.types.push_back({.key = key, .type = type});
      file.states.push_back({.key = key, .value = test::random_value(type, engine, file.texts)});
    }
    const std::string text = to_json(file, types);
    base::Notices notices;
    const auto again = parse_state(text, types, notices);
    ASSERT_TRUE(again) << text;
    EXPECT_TRUE(notices.empty()) << text;
    ASSERT_EQ(again->states.size(), file.states.size());
    for (std::size_t i = 0; i < file.states.size(); ++i)
      EXPECT_EQ(again->states[i].value, file.states[i].value) << text;
    EXPECT_EQ(to_json(*again, types), text);
  }
}

}  // namespace
}  // namespace polytrace::history
