// SPDX-License-Identifier: Apache-2.0
#include "event/merge.hpp"

#include <gtest/gtest.h>

#include <map>

#include "event/copy.hpp"
#include "event/text/text.hpp"
#include "support/compare.hpp"
#include "support/random.hpp"

namespace polytrace::event {
namespace {

void parse(Batch& batch, std::initializer_list<const char*> lines) {
  for (const char* line : lines) ASSERT_TRUE(parse_text(line, batch)) << line;
}

std::vector<std::string> merged(const TimeMerge& merge) {
  std::vector<std::string> lines;
  merge.emit(
      [&](const Batch& batch, const Event& event) { lines.push_back(to_text(batch, event)); });
  return lines;
}

using Lines = std::vector<std::string>;

TEST(merge, orders_threads_by_time) {
  TimeMerge merge;
  Batch batch;
  parse(batch, {"3 0x1 note", "5 0x1 note"});
  ASSERT_TRUE(merge.add(batch));
  batch.clear();
  parse(batch, {"1 0x2 note", "4 0x2 note", "6 0x2 note"});
  ASSERT_TRUE(merge.add(batch));
  EXPECT_EQ(merged(merge),
            (Lines{"1 0x2 note", "3 0x1 note", "4 0x2 note", "5 0x1 note", "6 0x2 note"}));
}

TEST(merge, order_of_a_thread_wins_over_its_clock) {
  TimeMerge merge;
  Batch batch;
  parse(batch, {"10 0x1 note", "2 0x1 note", "5 0x2 note", "11 0x2 note"});
  ASSERT_TRUE(merge.add(batch));
  EXPECT_EQ(merged(merge), (Lines{"5 0x2 note", "10 0x1 note", "2 0x1 note", "11 0x2 note"}));
}

TEST(merge, equal_times_stay_in_input_order) {
  TimeMerge merge;
  Batch batch;
  parse(batch, {"1 0x3 note", "1 0x1 note", "1 0x2 note", "1 0x1 sync"});
  ASSERT_TRUE(merge.add(batch));
  EXPECT_EQ(merged(merge),
            (Lines{"1 0x3 note", "1 0x1 note", "1 0x2 note", "1 0x1 sync sync=periodic"}));
}

TEST(merge, many_random_batches_keep_every_event_and_each_threads_order) {
  TimeMerge merge;
  test::RandomEvents random(5, {.threads = 7});
  std::map<Id, Lines> expected;
  for (int i = 0; i < 40; ++i) {
    Batch batch;
    for (int j = 0; j < 50; ++j) random.add_any(batch);
    for (const Event& event : batch.events)
      expected[batch.thread(event)].push_back(to_text(batch, event));
    ASSERT_TRUE(merge.add(batch));
  }
  std::map<Id, Lines> got;
  Time last = INT64_MIN;
  merge.emit([&](const Batch& batch, const Event& event) {
    EXPECT_LE(last, event.time);
    last = event.time;
    got[batch.thread(event)].push_back(to_text(batch, event));
  });
  EXPECT_EQ(got, expected);
}

TEST(merge, stops_at_its_limit) {
  TimeMerge merge({.merge_bytes = 2000});
  Batch batch;
  parse(batch, {"1 0x1 note text=\"0123456789012345678901234567890123456789\""});
  int taken = 0;
  while (taken < 100 && merge.add(batch)) ++taken;
  EXPECT_GT(taken, 10);
  EXPECT_LT(taken, 50);
  EXPECT_FALSE(merge.add(batch));
}

TEST(merge, nothing_gives_nothing) { EXPECT_TRUE(merged(TimeMerge()).empty()); }

TEST(copy, copied_event_outlives_its_batch) {
  Batch from, into;
  test::RandomEvents random(9);
  for (int i = 0; i < 2000; ++i) random.add_any(from);
  Lines expected, got;
  for (const Event& event : from.events) {
    expected.push_back(to_text(from, event));
    EXPECT_GE(copy_event(from, event, into), sizeof(Event));
    EXPECT_TRUE(test::same_event(from, event, into, into.events[into.events.size() - 1]));
  }
  from.clear();
  for (const Event& event : into.events) got.push_back(to_text(into, event));
  EXPECT_EQ(got, expected);
}

using Stretches = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Some calls that the reader told of, between other events.
void add_spans(Batch& batch, std::initializer_list<bool> are_calls) {
  for (const bool calls : are_calls) {
    if (!calls) {
      batch.add_plain(0, 0, 1, Kind::Note);
      continue;
    }
    Event* const room = batch.events.room(2);
    room[0] = {0, 1, kAbsent, 0, Kind::Enter, 0};
    room[1] = {0, 1, kAbsent, 0, Kind::Leave, 0};
    batch.events.grew_by_calls(room + 2, {1, 1, 0});
  }
}

TEST(spine, leaps_over_calls_and_leaves_nothing_out) {
  Batch batch;
  Stretches others, calls;
  const auto leap = [&] {
    others.clear(), calls.clear();
    leap_over_calls(
        batch.events,
        [&](std::uint32_t begin, std::uint32_t end) { others.push_back({begin, end}); },
        [&](const CallSpan& span) { calls.push_back({span.begin, span.end}); });
  };
  leap();
  EXPECT_TRUE(others.empty() && calls.empty());
  add_spans(batch, {true, true, false, false, true});
  leap();
  EXPECT_EQ(calls, (Stretches{{0, 2}, {2, 4}, {6, 8}}));
  EXPECT_EQ(others, (Stretches{{4, 6}}));
  add_spans(batch, {false});
  leap();
  EXPECT_EQ(others, (Stretches{{4, 6}, {8, 9}}));
  std::size_t notes = 0;
  leap_over_calls(batch.events, [&](const Event& event) { notes += event.kind == Kind::Note; });
  EXPECT_EQ(notes, 3U);
}

TEST(kinds, calls_are_what_has_their_role) {
  std::size_t calls = 0;
  for (std::size_t i = 0; i < kKindCount; ++i) calls += is_call(static_cast<Kind>(i));
  EXPECT_EQ(calls, 3U);
  EXPECT_EQ(role_of(Kind::Unwind), Role::call);
  EXPECT_EQ(role_of(Kind::Process), Role::heading);
  EXPECT_EQ(role_of(Kind::CounterDef), Role::definition);
  EXPECT_EQ(role_of(Kind::Free), Role::moment);
}

TEST(batch, lists_and_thread_slots) {
  Batch batch;
  EXPECT_EQ(batch.thread_slot(7), 0);
  EXPECT_EQ(batch.thread_slot(9), 1);
  EXPECT_EQ(batch.thread_slot(7), 0);
  parse(batch,
        {"1 0x9 throw object=0x8 stack=[0x1@il:4,0x2]", "1 0x9 throw stack=[]", "1 0x9 throw"});
  const auto stack = [&](std::size_t i) {
    return batch.details_or(batch.events[i], Throw{}).stack;
  };
  EXPECT_EQ(batch.thread(batch.events[0]), 9U);
  EXPECT_EQ(batch.list(stack(0)).size(), 2U);
  EXPECT_EQ(batch.places(stack(0))[0].il, 4);
  EXPECT_EQ(batch.places(stack(0))[1].il, -1);
  EXPECT_TRUE(stack(1).present());
  EXPECT_TRUE(batch.list(stack(1)).empty());
  EXPECT_FALSE(stack(2).present());
  batch.clear();
  EXPECT_TRUE(batch.events.empty());
  EXPECT_TRUE(batch.column<Throw>().empty());
  EXPECT_TRUE(batch.frames.empty());
}

}  // namespace
}  // namespace polytrace::event
