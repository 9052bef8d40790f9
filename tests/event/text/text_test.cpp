// SPDX-License-Identifier: Apache-2.0
#include "event/text/text.hpp"

#include <gtest/gtest.h>

#include "base/codes.hpp"
#include "support/compare.hpp"
#include "support/random.hpp"

namespace polytrace::event {
namespace {

std::string again(std::string_view line) {
  Batch batch;
  const auto parsed = parse_text(line, batch);
  return parsed ? to_text(batch, batch.events[0]) : base::to_text(parsed.error());
}

TEST(text, random_events_of_every_kind_round_trip) {
  for (std::size_t kind = 0; kind < kKindCount; ++kind) {
    test::RandomEvents random(kind);
    Batch batch;
    for (int i = 0; i < 200; ++i) random.add(batch, static_cast<Kind>(kind));
    for (const Event& event : batch.events) {
      const std::string line = to_text(batch, event);
      Batch parsed;
      ASSERT_TRUE(parse_text(line, parsed)) << line;
      ASSERT_TRUE(test::same_event(batch, event, parsed, parsed.events[0])) << line;
      ASSERT_EQ(to_text(parsed, parsed.events[0]), line);
    }
  }
}

TEST(text, canonical_lines_stay_as_they_are) {
  for (const char* line : {
           "3845198506587 0x7ffae9dfd6c0 enter method=0x559474232e08",
           "-5 - alloc class=0x1 object=0x2 size=16 stack=[0x1@il:12+native:-3+ip:0x5,0x3]",
           "0 0x0 sample stack=[] natives=[0x1,0x2]",
           "1 - dump_object object=0x8 refs=[8:0x1,16:0x2]",
           "1 - code type=helper size=3 il_map=[0:1-2,7:8-9]",
           "1 - counter counter=0x1 type=real real=0.1",
           "1 - counter counter=0x1 type=real real=-0",
           "1 - counter counter=0x1 type=real real=nan:0x7ff8000000000001",
           "1 - clock wall=-9223372036854775807 ticks_per_second=18446744073709551615",
           R"(1 - note text="\"\\\n\t\x00\x1f\x7f é")",
           R"(1 - note text="\xff\xc2\xed\xa0\x80\xc2\x9b")",
       }) {
    EXPECT_EQ(again(line), line);
  }
}

TEST(text, what_is_not_told_is_left_out) {
  Batch batch;
  batch.add_plain(7, batch.thread_slot(kNoId), kNoId, Kind::Enter);
  batch.add(8, 0, 0x10, Thread{.life = Life::end});
  batch.add(9, 0, 0x11, Sample{});
  EXPECT_EQ(to_text(batch, batch.events[0]), "7 - enter");
  EXPECT_EQ(to_text(batch, batch.events[1]), "8 - thread thread=0x10 life=end");
  EXPECT_EQ(to_text(batch, batch.events[2]), "9 - sample thread=0x11");
}

TEST(text, empty_list_and_no_list_differ) {
  EXPECT_EQ(again("1 - throw object=0x8 stack=[]"), "1 - throw object=0x8 stack=[]");
  EXPECT_EQ(again("1 - throw object=0x8"), "1 - throw object=0x8");
}

struct Fault {
  const char* line;
  unsigned column;
};

class text_fault : public testing::TestWithParam<Fault> {};

TEST_P(text_fault, has_its_column) {
  Batch batch;
  const auto parsed = parse_text(GetParam().line, batch);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().code, base::Code::text_syntax);
  EXPECT_EQ(parsed.error().place.line, 1U);
  EXPECT_EQ(parsed.error().place.column, GetParam().column) << parsed.error().detail;
  EXPECT_TRUE(batch.events.empty());
}

INSTANTIATE_TEST_SUITE_P(
    every_rule, text_fault,
    testing::Values(Fault{"", 1}, Fault{"x - enter", 1}, Fault{"1", 2}, Fault{"1 7 enter", 3},
                    Fault{"1 - enters", 5}, Fault{"1 - enter method=5", 18},
                    Fault{"1 - enter method=0x5 depth=", 28}, Fault{"1 - enter depth=-1", 17},
                    Fault{"1 - enter depth=1 ticket=1", 18},  // out of order
                    Fault{"1 - enter depth=1 depth=1", 18}, Fault{"1 - enter ", 10},
                    Fault{"1 - enter depth=18446744073709551616", 17},
                    Fault{"1 - gc phase=begin", 14}, Fault{"1 - note text=a", 15},
                    Fault{"1 - note text=\"a", 17}, Fault{R"(1 - note text="\q")", 16},
                    Fault{R"(1 - note text="\x4")", 16}, Fault{"1 - throw stack=0x1", 17},
                    Fault{"1 - throw stack=[0x1 0x2]", 21}, Fault{"1 - throw stack=[0x1@]", 22},
                    Fault{"1 - dump_object refs=[8]", 24},
                    Fault{"1 - code type=method il_map=[1:2]", 33},
                    Fault{"1 - counter type=real real=1e400", 28}));

TEST(compare, finds_every_changed_field) {
  // Two random events of a kind are equal only if all their fields are.
  for (std::size_t kind = 0; kind < kKindCount; ++kind) {
    test::RandomEvents random(kind + 1000);
    Batch batch;
    for (int i = 0; i < 60; ++i) random.add(batch, static_cast<Kind>(kind));
    for (const Event& a : batch.events) {
      for (const Event& b : batch.events) {
        const bool same_text = to_text(batch, a) == to_text(batch, b);
        ASSERT_EQ(test::same_event(batch, a, batch, b), same_text);
      }
    }
  }
}

TEST(compare, not_told_equals_default) {
  Batch batch;
  batch.add_plain(1, batch.thread_slot(1), 5, Kind::Enter);
  batch.add(1, 0, 5, Enter{});
  batch.add(1, 0, 5, Enter{.depth = 1});
  EXPECT_TRUE(test::same_event(batch, batch.events[0], batch, batch.events[1]));
  EXPECT_FALSE(test::same_event(batch, batch.events[0], batch, batch.events[2]));
}

}  // namespace
}  // namespace polytrace::event
