// SPDX-License-Identifier: Apache-2.0
#include "history/files/types_file.hpp"

#include <gmock/gmock.h>

#include "base/codes.hpp"
#include "history/exchange.hpp"

namespace polytrace::history {
namespace {

using base::Code;
using testing::IsEmpty;

base::result<TypesFile> parse(std::string_view text) {
  base::Notices notices;
  auto file = parse_types(text, notices);
  EXPECT_TRUE(notices.empty()) << text;
  return file;
}

Code fault(std::string_view text) {
  base::Notices notices;
  const auto file = parse_types(text, notices);
  EXPECT_FALSE(file.has_value()) << text;
  return file ? Code::usage : file.error().code;
}

constexpr std::string_view kWhole = R"({"format":"state-types","version":1,"minor":0,)"
                                    R"("history_id":"9f86d081884c7d659a2feaa0c55ad015",
"types":[
{"key":0,"type":"int"},
{"key":1,"type":"string","unit":"s","description":"a \"b\""},
{"key":4294967294,"type":"x-color"}]}
)";

TEST(types_file, reads_what_it_wrote_byte_for_byte) {
  const auto file = parse(kWhole);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->history_id, "9f86d081884c7d659a2feaa0c55ad015");
  EXPECT_EQ(file->types[1].description, "a \"b\"");
  EXPECT_EQ(to_json(*file), kWhole);
}

TEST(types_file, key_without_an_entry_is_any_and_an_unknown_type_opaque) {
  const auto file = parse(kWhole);
  EXPECT_EQ(file->type(0), Type::integer);
  EXPECT_EQ(file->type(2), Type::any);
  EXPECT_EQ(file->type(4294967294), Type::open);
  EXPECT_EQ(file->find(4294967294)->opaque, "x-color");
  EXPECT_EQ(file->find(5), nullptr);
}

TEST(types_file, takes_the_proposal_verbatim) {
  const auto file = parse(test::data("proposal_types.txt"));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->types.size(), 9U);
  EXPECT_EQ(file->type(5), Type::string);
  EXPECT_EQ(file->type(6), Type::none);
  EXPECT_EQ(file->type(7), Type::any);
}

TEST(types_file, takes_bare_forms_and_any_order) {
  const TypesFile expected{
      .types = {{.key = 1, .type = Type::any}, {.key = 2, .type = Type::none}}};
  constexpr std::string_view kTwo = R"({"key": 2, "type": "none"}, {"key": 1, "type": "variant"})";
  EXPECT_EQ(*parse(kTwo), expected);
  EXPECT_EQ(*parse("[" + std::string(kTwo) + "]"), expected);
  EXPECT_EQ(*parse(std::string(kTwo) + ",\n"), expected);
  EXPECT_EQ(*parse("\xef\xbb\xbf{\"types\": [" + std::string(kTwo) + "]}"), expected);
  EXPECT_EQ(parse(R"({"key": 2, "type": "none"})")->types.size(), 1U);
}

TEST(types_file, ignores_unknown_members_and_takes_any_minor_version) {
  const auto file = parse(R"({"format": "state-types", "version": 1, "minor": 77, "new": [{"a": 1}],
    "types": [{"key": 3, "type": "bool", "new": {}}]})");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->type(3), Type::boolean);
}

TEST(types_file, refuses_a_later_major_version_and_names_both) {
  base::Notices notices;
  const auto file = parse_types(R"({"format": "state-types", "version": 2, "types": []})", notices);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, Code::version_unsupported);
  EXPECT_EQ(file.error().detail, "state-types version 2; version 1 is known");
}

TEST(types_file, refuses_what_breaks_the_schema) {
  for (const char* text :
       {"", "7", "{}", R"({"types": 1})", R"({"types": [1]})", R"({"types": [{"key": 1}]})",
        R"({"types": [{"type": "int"}]})", R"({"types": [{"key": -1, "type": "int"}]})",
        R"({"types": [{"key": 4294967295, "type": "int"}]})",
        R"({"types": [{"key": 1.0, "type": "int"}]})", R"({"types": [{"key": 1, "type": ""}]})",
        R"({"types": [{"key": 1, "key": 1, "type": "int"}]})",
        R"({"types": [{"key": 1, "type": "int"}, {"key": 1, "type": "int"}]})",
        R"({"types": [], "types": []})", R"({"format": "state-tree", "types": []})",
        R"({"version": 0, "types": []})", R"({"version": "1", "types": []})", R"({"types": [}])",
        R"({"types": [{"key": 1, "type": "int" "unit": "s"}]})"})
    EXPECT_EQ(fault(text), Code::json_malformed) << text;
}

TEST(types_file, leaves_out_what_has_no_type_yet) {
  EXPECT_EQ(to_json({.types = {{.key = 1, .type = Type::open}}}),
            "{\"format\":\"state-types\",\"version\":1,\"minor\":0,\n\"types\":[]}\n");
}

TEST(types_file, text_that_ends_early_keeps_what_is_whole) {
  const auto all = parse(kWhole)->types;
  std::size_t kept = 0;
  for (std::size_t size = 0; size < kWhole.size(); ++size) {
    base::Notices notices;
    const auto file = parse_types(kWhole.substr(0, size), notices);
    if (!file) continue;
    ++kept;
    ASSERT_LE(file->types.size(), all.size());
    EXPECT_TRUE(std::ranges::equal(file->types, std::span(all).first(file->types.size())));
    EXPECT_EQ(notices.exit_code(), size + 1 < kWhole.size() ? 4 : 0) << size;
  }
  EXPECT_GT(kept, 100U);
}

}  // namespace
}  // namespace polytrace::history
