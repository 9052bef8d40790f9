// SPDX-License-Identifier: Apache-2.0
#include "event/merge.hpp"

#include <gtest/gtest.h>

#include <map>

#include "event/compare.hpp"
#include "event/copy.hpp"
#include "event/filter.hpp"
#include "event/random.hpp"
#include "event/text/text.hpp"

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
  RandomEvents random(5, {.threads = 7});
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
  RandomEvents random(9);
  for (int i = 0; i < 2000; ++i) random.add_any(from);
  Lines expected, got;
  for (const Event& event : from.events) {
    expected.push_back(to_text(from, event));
    EXPECT_GE(copy_event(from, event, into), sizeof(Event));
    EXPECT_TRUE(same_event(from, event, into, into.events[into.events.size() - 1]));
  }
  from.clear();
  for (const Event& event : into.events) got.push_back(to_text(into, event));
  EXPECT_EQ(got, expected);
}

std::size_t passing(const Filter& filter, const Batch& batch) {
  return static_cast<std::size_t>(std::ranges::count_if(
      batch.events, [&](const Event& event) { return filter(batch, event); }));
}

TEST(filter, takes_by_time_thread_and_kind) {
  Batch batch;
  parse(batch, {"1 0x1 note", "2 0x1 sync", "3 0x2 note", "4 - note"});
  EXPECT_EQ(passing({}, batch), 4U);
  EXPECT_EQ(passing({.from = 2, .until = 3}, batch), 2U);
  EXPECT_EQ(passing({.threads = {0x1, kNoId}}, batch), 3U);
  Filter notes;
  notes.add_kind(Kind::Note);
  EXPECT_EQ(passing(notes, batch), 3U);
  notes.threads = {0x2};
  EXPECT_EQ(passing(notes, batch), 1U);
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
