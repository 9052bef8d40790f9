// SPDX-License-Identifier: Apache-2.0
#include "transform/cut.hpp"

#include <fmt/format.h>

#include <set>

#include "support/random.hpp"
#include "transform/lines.hpp"

namespace polytrace::transform {
namespace {

using test::Lines;

struct Result {
  Lines lines;
  CutCounts counts;
};

Result cut(const event::Batch& batch, const CutOptions& options) {
  Result result;
  Cut cut(std::make_unique<test::LineWriter>(result.lines), options, result.counts);
  EXPECT_TRUE(cut.write(batch));
  EXPECT_TRUE(cut.finish());
  return result;
}

Result cut(const Lines& lines, const CutOptions& options) {
  event::Batch batch;
  test::parse(batch, lines);
  return cut(batch, options);
}

TEST(cut, without_conditions_changes_nothing) {
  polytrace::test::RandomEvents random(1);
  event::Batch batch;
  for (int i = 0; i < 3000; ++i) random.add_any(batch);
  const Result result = cut(batch, {});
  EXPECT_EQ(result.lines, test::lines_of(batch));
  EXPECT_EQ(result.counts.entered + result.counts.left + result.counts.dropped, 0U);
}

TEST(cut, from_the_first_to_behind_the_last_changes_nothing) {
  polytrace::test::RandomEvents random(2);
  event::Batch batch;
  for (int i = 0; i < 3000; ++i) {
    const auto kind = static_cast<event::Kind>(random.below(event::kKindCount));
    if (!event::is_call(kind)) random.add(batch, kind);  // their pairs are random, too
  }
  const event::Time last = batch.events[batch.events.size() - 1].time;
  EXPECT_EQ(cut(batch, {.from = 0, .to = last + 1}).lines, test::lines_of(batch));
}

TEST(cut, keeps_definitions_and_what_happens_inside) {
  const Result result = cut({"0 - clock wall=99", "1 0x1 thread thread=0x1 life=begin",
                             "2 0x1 class class=0x7 life=begin name=\"A\"", "3 0x1 alloc class=0x7",
                             "5 0x1 alloc class=0x7 size=1", "9 0x1 alloc class=0x7 size=2",
                             "10 0x1 alloc class=0x7 size=3", "11 0x1 method method=0x8"},
                            {.from = 5, .to = 10});
  EXPECT_EQ(result.lines,
            (Lines{"0 - clock wall=99", "5 0x1 thread thread=0x1 life=begin",
                   "5 0x1 class class=0x7 life=begin name=\"A\"", "5 0x1 alloc class=0x7 size=1",
                   "9 0x1 alloc class=0x7 size=2", "10 0x1 method method=0x8"}));
}

TEST(cut, pairs_calls_that_cross_its_ends) {
  const Result result = cut({"1 0x1 enter method=0xa ticket=1", "2 0x1 enter method=0xb ticket=2",
                             "3 0x1 leave method=0xb ticket=2", "6 0x1 enter method=0xc ticket=3",
                             "12 0x1 leave method=0xc ticket=3", "13 0x1 leave method=0xa"},
                            {.from = 5, .to = 10});
  EXPECT_EQ(result.lines,
            (Lines{"5 0x1 enter method=0xa ticket=1",
                   "5 - note text=\"cut: thread 0x1: 1 calls began earlier and are entered here\"",
                   "6 0x1 enter method=0xc ticket=3", "10 0x1 leave method=0xc ticket=3",
                   "10 0x1 leave method=0xa ticket=1",
                   "10 - note text=\"cut: thread 0x1: 2 calls go on and are left here\""}));
  EXPECT_EQ(result.counts.entered, 1U);
  EXPECT_EQ(result.counts.left, 2U);
}

TEST(cut, of_a_cut_is_the_same_again) {
  const Lines lines{"1 0x1 enter method=0xa", "6 0x1 enter method=0xc", "12 0x1 leave method=0xc"};
  const Result once = cut(lines, {.from = 5, .to = 10});
  const Result twice = cut(once.lines, {.from = 5, .to = 10});
  EXPECT_EQ(once.lines, twice.lines);
  EXPECT_EQ(twice.counts.entered, 0U);
}

TEST(cut, pairs_calls_of_threads_that_sleep_through_it) {
  const Result result = cut({"1 0x1 enter method=0xa", "20 0x2 sync"}, {.from = 5, .to = 10});
  EXPECT_EQ(result.lines.size(), 4U);
  EXPECT_EQ(result.lines[0], "5 0x1 enter method=0xa");
  EXPECT_EQ(result.lines[2], "10 0x1 leave method=0xa");
}

TEST(cut, leaves_calls_open_that_the_trace_leaves_open) {
  EXPECT_EQ(cut({"1 0x1 enter method=0xa"}, {.to = 10}).lines, Lines{"1 0x1 enter method=0xa"});
  EXPECT_EQ(cut({"1 0x1 enter method=0xa"}, {.from = 5}).lines, Lines{});
}

TEST(cut, drops_exits_without_entries) {
  const Result result = cut(
      {"1 0x1 leave method=0xa", "6 0x1 leave method=0xb", "7 0x1 unwind method=0xc"}, {.from = 5});
  EXPECT_EQ(result.lines, Lines{});
  EXPECT_EQ(result.counts.dropped, 2U);
}

TEST(cut, an_exit_takes_the_calls_inside_with_it) {
  const Result result = cut({"1 0x1 enter method=0xa", "2 0x1 enter method=0xb",
                             "3 0x1 leave method=0xa", "6 0x1 leave method=0xb", "9 0x1 sync"},
                            {.from = 5});
  EXPECT_EQ(result.lines, Lines{"9 0x1 sync sync=periodic"});
  EXPECT_EQ(result.counts.dropped, 1U);
}

TEST(cut, calls_follow_the_order_of_their_thread) {
  const Result result = cut({"1 0x1 enter method=0xa", "6 0x1 enter method=0xb",
                             "4 0x1 leave method=0xb", "7 0x1 leave method=0xa"},
                            {.from = 5});
  EXPECT_EQ(result.lines,
            (Lines{"5 0x1 enter method=0xa",
                   "5 - note text=\"cut: thread 0x1: 1 calls began earlier and are entered here\"",
                   "6 0x1 enter method=0xb", "5 0x1 leave method=0xb", "7 0x1 leave method=0xa"}));
}

TEST(cut, by_thread_keeps_what_is_of_it_or_about_it) {
  const Result result = cut({"1 0x1 enter method=0xa", "2 0x2 enter method=0xb",
                             "2 0x2 method method=0xb", "3 0x2 sample thread=0x1 mode=cpu",
                             "3 0x2 sample thread=0x2 mode=cpu", "4 - gc phase=start"},
                            {.threads = event::ThreadChoice({1})});
  EXPECT_EQ(result.lines, (Lines{"1 0x1 enter method=0xa", "2 0x2 method method=0xb",
                                 "3 0x2 sample thread=0x1 mode=cpu"}));
}

// Names may come behind what they name.
const Lines kShop{"1 0x1 enter method=0xa",
                  "2 0x1 enter method=0xb",
                  "3 0x1 alloc class=0x7 stack=[0xa,0xb]",
                  "3 0x1 alloc class=0x8",
                  "3 0x1 alloc class=0x9",
                  "3 0x1 gc phase=start",
                  "4 0x1 leave method=0xb",
                  "4 0x1 jit method=0xc stage=end",
                  "5 0x1 leave method=0xa",
                  "6 0x1 class class=0x7 life=begin name=\"Shop.Cart\"",
                  "6 0x1 class class=0x8 life=begin name=\"Shop.Key\"",
                  "6 0x1 vtable vtable=0x9 class_id=0x7",
                  "6 0x1 method method=0xa name=\"Shop.Main:Run ()\"",
                  "6 0x1 method method=0xb name=\"add\" class_id=0x7",
                  "6 0x1 method method=0xc name=\"Shop.Cart:Drop ()\""};

Lines about(const std::string& method, const std::string& in_class) {
  event::Batch batch;
  test::parse(batch, kShop);
  Subjects subjects(method, in_class);
  subjects.consume(batch);
  subjects.finish();
  Lines lines = cut(batch, {.subjects = &subjects}).lines;
  lines.resize(lines.size() - 6);  // the definitions
  return lines;
}

TEST(cut, by_method_keeps_its_calls_and_what_happens_below) {
  EXPECT_EQ(about("Cart.add", ""), (Lines{kShop[1], kShop[2], kShop[6]}));
  EXPECT_EQ(about("Main:R", ""), (Lines{kShop[0], kShop[2], kShop[8]}));
  EXPECT_EQ(about("nothing", ""), Lines{});
}

TEST(cut, by_class_keeps_its_methods_and_objects) {
  EXPECT_EQ(about("", "Shop.Cart"), (Lines{kShop[1], kShop[2], kShop[4], kShop[6], kShop[7]}));
  EXPECT_EQ(about("Drop", "Shop.Cart"), (Lines{kShop[2], kShop[4], kShop[7]}));
  EXPECT_EQ(about("", "Run"), Lines{});
}

TEST(cut, of_more_threads_than_a_batch_can_number_keeps_calls_with_their_threads) {
  constexpr base::Id kThreads = 70'000;
  constexpr base::Id kPart = 1000;
  const auto method_of = [](base::Id thread) { return thread + 0x100000; };
  Result result;
  Cut cut(std::make_unique<test::LineWriter>(result.lines), {.from = 5, .to = 10}, result.counts);
  event::Batch batch;
  for (base::Id first = 0; first < kThreads; first += kPart) {
    batch.clear();
    for (base::Id id = first; id < first + kPart; ++id)
      batch.add(1, batch.thread_slot(id), method_of(id), event::Enter{});
    ASSERT_TRUE(cut.write(batch));
  }
  batch.clear();
  batch.add_plain(20, batch.thread_slot(0), method_of(0), event::Kind::Jit);
  ASSERT_TRUE(cut.write(batch));
  ASSERT_TRUE(cut.finish());
  const std::set<std::string> lines(result.lines.begin(), result.lines.end());
  for (base::Id id = 0; id < kThreads; ++id) {
    ASSERT_TRUE(lines.contains(fmt::format("5 {:#x} enter method={:#x}", id, method_of(id))));
    ASSERT_TRUE(lines.contains(fmt::format("10 {:#x} leave method={:#x}", id, method_of(id))));
  }
  EXPECT_EQ(result.counts.left, kThreads);
}

}  // namespace
}  // namespace polytrace::transform
