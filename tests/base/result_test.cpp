// SPDX-License-Identifier: Apache-2.0
#include "base/result.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/codes.hpp"
#include "base/id_table.hpp"
#include "base/notices.hpp"

namespace polytrace::base {
namespace {

TEST(codes, each_has_a_name_of_its_own_and_says_what_to_do) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < code_count(); ++i) {
    const CodeInfo& info = describe(static_cast<Code>(i));
    EXPECT_EQ(info.code, static_cast<Code>(i));
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(find_code(info.name), &info);
    EXPECT_TRUE(info.exit >= 0 && info.exit <= 6) << info.name;
    EXPECT_FALSE(info.sentence.empty()) << info.name;
    EXPECT_FALSE(info.next.empty()) << info.name;
  }
  EXPECT_EQ(find_code("no-such-code"), nullptr);
}

TEST(error, text_tells_place_sentence_and_detail) {
  EXPECT_EQ(
      to_text(Error{Code::record_unknown, {.offset = 0x2f1a, .frame = "buffer 17"}, "type 15"}),
      "offset 0x2f1a (buffer 17): unknown record kind: type 15");
  EXPECT_EQ(to_text(Error{Code::text_syntax, {.line = 3, .column = 7}, {}}),
            "line 3:7: not canonical text");
  EXPECT_EQ(to_text(Error{Code::usage, {}, {}}), "wrong use");
}

TEST(notices, count_per_code_and_keep_the_first_place) {
  Notices notices;
  EXPECT_TRUE(notices.empty());
  EXPECT_EQ(notices.exit_code(), 0);
  notices.add(Code::record_unknown, {.offset = 50}, 7, "later");
  notices.add(Code::list_odd, {.offset = 40}, 1);
  notices.add(Code::record_unknown, {.offset = 20}, 5, "first");
  const Notice* unknown = notices.find(Code::record_unknown);
  ASSERT_NE(unknown, nullptr);
  EXPECT_EQ(unknown->count, 2U);
  EXPECT_EQ(unknown->bytes, 12U);
  EXPECT_EQ(unknown->first.offset, 20U);
  EXPECT_EQ(unknown->detail, "first");
  EXPECT_EQ(notices.bytes_lost(), 13U);
  EXPECT_EQ(notices.exit_code(), 4);
  EXPECT_EQ(notices.sorted()[0].code, Code::record_unknown);
  EXPECT_EQ(notices.find(Code::frame_id), nullptr);
}

TEST(notices, merging_is_like_adding) {
  Notices one, other;
  one.add(Code::list_odd, {.offset = 40}, 1, "a");
  other.add(Code::list_odd, {.offset = 30}, 2, "b");
  other.add(Code::limit_exceeded, {}, 0);
  one.merge(other);
  EXPECT_EQ(one.find(Code::list_odd)->count, 2U);
  EXPECT_EQ(one.find(Code::list_odd)->detail, "b");
  EXPECT_EQ(one.exit_code(), 6);
  EXPECT_EQ(one.sorted().back().code, Code::limit_exceeded);  // no place: last
  one.clear();
  EXPECT_TRUE(one.empty());
}

TEST(notices, keep_the_first_places_in_order) {
  constexpr std::uint64_t kMost = Notice::kMostOthers + 1;
  Notices odd, all;
  for (std::uint64_t i = 3 * kMost; i > 0; --i)
    (i % 2 == 0 ? all : odd).add(Code::list_odd, {.offset = i}, 0, std::to_string(i));
  all.merge(odd);
  const Notice notice = all.sorted()[0];
  EXPECT_EQ(notice.count, 3 * kMost);
  EXPECT_EQ(notice.first.offset, 1U);
  ASSERT_EQ(notice.others.size(), kMost - 1);
  for (std::uint64_t i = 2; i <= kMost; ++i) {
    EXPECT_EQ(notice.others[i - 2].place.offset, i);
    EXPECT_EQ(notice.others[i - 2].detail, std::to_string(i));
  }
}

TEST(id_table, indexes_count_up_by_first_sight) {
  IdTable table;
  for (Id id = 0; id < 5000; ++id) EXPECT_EQ(table.index(id * 4096), id);
  for (Id id = 0; id < 5000; ++id) EXPECT_EQ(table.index(id * 4096), id);
  EXPECT_EQ(table.size(), 5000U);
  EXPECT_EQ(table.id(17), 17U * 4096);
  EXPECT_EQ(table.find(4096), 1U);
  EXPECT_EQ(table.find(5), IdTable::kNone);
}

TEST(id_table, zero_and_no_id_are_ids_too) {
  IdTable table;
  EXPECT_EQ(table.find(0), IdTable::kNone);
  EXPECT_EQ(table.index(kNoId), 0U);
  EXPECT_EQ(table.index(0), 1U);
}

TEST(id_table, renewed_id_gets_a_new_index) {
  IdTable table;
  EXPECT_EQ(table.index(0x10), 0U);
  EXPECT_EQ(table.renew(0x10), 1U);
  EXPECT_EQ(table.index(0x10), 1U);
  EXPECT_EQ(table.find(0x10), 1U);
  EXPECT_EQ(table.renew(0x20), 2U);  // also when it was not known
  EXPECT_EQ(table.index(0x20), 2U);
  EXPECT_EQ(table.id(0), table.id(1));
}

}  // namespace
}  // namespace polytrace::base
