// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/rewriting.hpp"

namespace polytrace::agent::jvm::test {
namespace {

using testing::ElementsAre;

constexpr std::uint8_t kReturn = 0xb1;

const EveryMethod kSitesOnly = [] {
  EveryMethod judge;
  judge.calls = false;
  judge.sites = true;
  return judge;
}();

TEST(rewriter_sites, objects_are_told_once_they_exist) {
  ClassMaker maker;
  const std::size_t type = maker.class_entry("demo/Thing");
  MadeMethod method = run(joined({{0x00, 0xbb}, u2(type), {0x57, kReturn}}), 1);
  maker.lines(method, {{0, 20}, {1, 21}, {4, 22}});
  const Rewritten result = rewritten(maker, method, kSitesOnly);
  EXPECT_EQ(result.code(), "00 bb 00 06 site(1) 57 b1");
  EXPECT_THAT(result.judge.allocations, ElementsAre("demo/Thing line 21 index 1 dimensions 0"));
  EXPECT_EQ(result.method().max_stack, 2);
  EXPECT_TRUE(result.method().handlers.empty());
}

TEST(rewriter_sites, arrays_are_told_with_their_length) {
  ClassMaker maker;
  const std::size_t type = maker.class_entry("demo/Thing");
  const std::size_t arrays = maker.class_entry("[Ldemo/Thing;");
  const std::size_t grid = maker.class_entry("[[[J");
  const Bytes code = joined({{0x04, 0xbc, 10, 0x57},  // int[1]
                             {0x04, 0xbd},
                             u2(type),
                             {0x57},  // Thing[1]
                             {0x04, 0xbd},
                             u2(arrays),
                             {0x57},  // Thing[1][]
                             {0x04, 0x04, 0xc5},
                             u2(grid),
                             {2, 0x57},
                             {kReturn}});  // long[1][1][]
  const Rewritten result = rewritten(maker, run(code, 2), kSitesOnly);
  EXPECT_EQ(result.code().substr(0, 26), "04 bc 0a 59 be array(1) 57");
  EXPECT_THAT(result.code(), testing::EndsWith("02 59 grid(4) 57 b1"));
  EXPECT_THAT(result.judge.allocations, ElementsAre("[I line 0 index 1 dimensions 1",
                                                    "[Ldemo/Thing; line 0 index 5 dimensions 1",
                                                    "[[Ldemo/Thing; line 0 index 10 dimensions 1",
                                                    "[[[J line 0 index 16 dimensions 2"));
  EXPECT_EQ(result.method().max_stack, 4);
}

TEST(rewriter_sites, frames_still_name_the_new_they_mean) {
  ClassMaker maker;
  const std::size_t type = maker.class_entry("demo/Thing");
  // 0: iconst_0; 1: new; 4: swap; 5: ifeq 8; 8: pop; 9: return
  MadeMethod method = run(joined({{0x03, 0xbb}, u2(type), {0x5f, 0x99, 0, 3, 0x57, kReturn}}), 2);
  maker.frames(method, 1, joined({{72}, {8}, u2(1)}));  // at 8: the object that 1 made
  EveryMethod judge;
  judge.sites = true;
  const Rewritten result = rewritten(maker, method, judge);
  EXPECT_EQ(result.code(), "enter(1) 03 bb 00 06 site(1) 5f 99 00 03 57 exit(1) b1 unwind(1) bf");
  const Bytes frames = result.method().attributes.at("StackMapTable");
  EXPECT_EQ(Bytes(frames.begin() + 2, frames.begin() + 6), (Bytes{64 + 16, 8, 0, 5}));
}

// With a `new`, and so long that of `spare` bytes more it becomes too large.
Rewritten with_room_for(std::size_t spare) {
  ClassMaker maker;
  const std::size_t type = maker.class_entry("demo/Thing");
  const Bytes object = joined({{0xbb}, u2(type), {0x57, kReturn}});
  const Bytes code = joined({Bytes(65535 - object.size() - spare, 0x00), object});
  EveryMethod judge;
  judge.sites = true;
  return rewritten(maker, run(code, 1), judge);
}

TEST(rewriter_sites, give_way_to_calls_where_both_have_no_room) {
  using rewriter::Part;
  using Refused = std::pair<Part, Reason>;
  constexpr std::size_t kSite = 4, kCalls = 4 + 4 + 5;  // entry, exit and handler
  EXPECT_TRUE(with_room_for(kSite + kCalls).judge.refused.empty());

  const Rewritten calls = with_room_for(kCalls);
  EXPECT_EQ(calls.outcome.reason, Reason::none);
  EXPECT_THAT(calls.code(), testing::EndsWith("57 exit(1) b1 unwind(1) bf"));
  EXPECT_THAT(calls.code(), testing::Not(testing::HasSubstr("site")));
  EXPECT_THAT(calls.judge.refused, ElementsAre(Refused{Part::sites, Reason::code_too_large}));

  const Rewritten sites = with_room_for(kSite);
  EXPECT_EQ(sites.outcome.reason, Reason::none);
  EXPECT_THAT(sites.code(), testing::EndsWith("site(1) 57 b1"));
  EXPECT_THAT(sites.judge.refused, ElementsAre(Refused{Part::calls, Reason::code_too_large}));

  const Rewritten none = with_room_for(kSite - 1);
  EXPECT_EQ(none.outcome.reason, Reason::nothing_to_do);
  EXPECT_THAT(none.judge.refused, ElementsAre(Refused{Part::calls, Reason::code_too_large},
                                              Refused{Part::sites, Reason::code_too_large}));
}

TEST(rewriter_sites, kinds_of_arrays_that_do_not_exist_are_not_asked_for) {
  ClassMaker maker;
  const Rewritten result = rewritten(maker, run({0x04, 0xbc, 99, 0x57, kReturn}, 1), kSitesOnly);
  EXPECT_TRUE(result.judge.allocations.empty());
  EXPECT_EQ(result.outcome.reason, Reason::nothing_to_do);
}

}  // namespace
}  // namespace polytrace::agent::jvm::test
