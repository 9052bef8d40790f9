// SPDX-License-Identifier: Apache-2.0
#include "analysis/sections.hpp"

#include "analysis/asked.hpp"

namespace polytrace::test {
namespace {

using analysis::make_collections;
using event::Gc;
using event::GcPhase;
using event::HeapSize;
using event::Move;

Gc gc(GcPhase phase, std::uint32_t generation) {
  Gc out;
  out.phase = phase;
  out.generation = generation;
  return out;
}
HeapSize size(std::uint64_t bytes) {
  HeapSize out;
  out.total = bytes;
  return out;
}

// One stop of 100 ns around a collection of 60, with a resize between.
void one_stop(Stream& main, base::Time time, std::uint32_t generation, std::uint64_t heap) {
  main.add(time, 0, gc(GcPhase::world_stopped, generation))
      .add(time + 10, 0, gc(GcPhase::start, generation))
      .add(time + 20, 0x10, Move{0x20})
      .add(time + 70, 0, gc(GcPhase::end, generation))
      .add(time + 80, 0, size(heap))
      .add(time + 100, 0, gc(GcPhase::world_started, generation));
}

TEST(collections, durations_pauses_and_heap_sizes) {
  event::Batch batch;
  Stream main(batch, kMain);
  one_stop(main, 1000, 0, 4096);
  one_stop(main, 2000, 0, 8192);
  Asked asked(make_collections({}));
  asked.feed(batch).finish();
  const Table generations = asked.table("collection_generations");
  ASSERT_EQ(generations.rows.size(), 1U);
  EXPECT_EQ(number(generations, 0, "count"), 2U);
  EXPECT_EQ(number(generations, 0, "total"), 120U);
  EXPECT_EQ(number(generations, 0, "longest"), 60U);
  const Table pauses = asked.table("collection_pauses");
  EXPECT_EQ(number(pauses, 0, "total"), 200U);
  EXPECT_EQ(number(pauses, 0, "p99"), 100U);
  const Table heap = asked.table("heap_size");
  EXPECT_EQ(number(heap, 0, "resizes"), 2U);
  EXPECT_EQ(number(heap, 0, "largest"), 8192U);
  EXPECT_EQ(number(heap, 0, "moved"), 2U);
  const Table list = asked.table("collections");
  ASSERT_EQ(list.rows.size(), 2U);
  EXPECT_TRUE(unknown(list, 0, "heap_before"));
  EXPECT_EQ(number(list, 0, "heap_after"), 4096U);
  EXPECT_EQ(number(list, 1, "heap_before"), 4096U);
  EXPECT_EQ(number(list, 1, "heap_after"), 8192U);
  EXPECT_EQ(number(list, 1, "pause"), 100U);
  EXPECT_EQ(number(list, 1, "moved"), 1U);
  EXPECT_EQ(asked.headlines().at(0),
            "2 collections stopped the program for 200 ns in all, at most 100 ns at once.");
}

// What is in use says how full a heap is; what the collector holds, only where nothing else does.
TEST(collections, size_is_what_is_used) {
  event::Batch batch;
  Stream main(batch, kMain);
  HeapSize both = size(1 << 20);
  both.used = 4096;
  main.add(10, 0, both).add(20, 0, both);
  Asked asked(make_collections({}));
  EXPECT_EQ(number(asked.feed(batch).finish().table("heap_size"), 0, "largest"), 4096U);
  EXPECT_TRUE(asked.table("heap_size").notes.empty());
  main.add(30, 0, size(8192));
  Asked capacity(make_collections({}));
  EXPECT_EQ(capacity.feed(batch).finish().table("heap_size").notes.size(), 1U);
}

TEST(collections, reasons_and_what_was_allocated_before) {
  event::Batch batch;
  Stream main(batch, kMain);
  const auto allocate = [&](base::Time time, std::uint64_t bytes) {
    event::Alloc alloc;
    alloc.size = bytes;
    main.add(time, 0x20, alloc);
  };
  Gc induced = gc(GcPhase::start, 1);
  induced.reason = "induced";
  allocate(1, 100);
  main.add(10, 0, induced).add(20, 0, gc(GcPhase::end, 1));
  allocate(30, 7);
  allocate(31, 7);
  main.add(40, 0, induced).add(45, 0, gc(GcPhase::end, 1));
  main.add(50, 0, gc(GcPhase::start, 1)).add(60, 0, gc(GcPhase::end, 1));
  Asked asked(make_collections({}));
  const Table causes = asked.feed(batch).finish().table("collection_causes");
  ASSERT_EQ(causes.rows.size(), 2U);
  EXPECT_EQ(number(causes, 0, "count"), 2U);
  EXPECT_EQ(text(causes, 0, "reason"), "induced");
  EXPECT_EQ(number(causes, 0, "allocated"), 114U);
  EXPECT_EQ(number(causes, 0, "stopped"), 15U);
  EXPECT_EQ(number(causes, 1, "allocated"), 0U);
  EXPECT_TRUE(unknown(causes, 1, "reason"));
  EXPECT_EQ(number(asked.table("collections"), 1, "allocated"), 14U);
}

// One that tells an empty stack has no place, whatever the event before it told.
TEST(collections, objects_without_a_stack_were_allocated_nowhere) {
  event::Batch batch;
  Stream main(batch, kMain);
  main.method(2, "Main");
  const auto allocate = [&](base::Time time, std::uint64_t bytes, event::Stack stack) {
    event::AllocSummary sum;
    sum.count = 1;
    sum.bytes = bytes;
    sum.stack = stack;
    main.add(time, 0x20, sum);
  };
  allocate(1, 10, main.stack({2}));
  allocate(2, 100, main.stack({}));
  main.add(10, 0, gc(GcPhase::start, 1)).add(20, 0, gc(GcPhase::end, 1));
  allocate(30, 10, main.stack({2}));
  main.add(40, 0, gc(GcPhase::start, 1)).add(45, 0, gc(GcPhase::end, 1));
  const Table table = Asked(make_collections({})).feed(batch).finish().table("collections");
  EXPECT_TRUE(unknown(table, 0, "mostly_at"));
  EXPECT_EQ(text(table, 1, "mostly_at"), "Main");
}

TEST(collections, percentiles_by_nearest_rank) {
  event::Batch batch;
  Stream main(batch, kMain);
  for (base::Time i = 1; i <= 100; ++i)
    main.add(i * 1000, 0, gc(GcPhase::start, 0)).add(i * 1000 + i, 0, gc(GcPhase::end, 0));
  const Table table =
      Asked(make_collections({})).feed(batch).finish().table("collection_generations");
  EXPECT_EQ(number(table, 0, "p50"), 50U);
  EXPECT_EQ(number(table, 0, "p95"), 95U);
  EXPECT_EQ(number(table, 0, "p99"), 99U);
}

TEST(collections, a_major_one_inside_a_minor_one) {
  event::Batch batch;
  Stream(batch, kMain)
      .add(0, 0, gc(GcPhase::start, 0))
      .add(10, 0, gc(GcPhase::start, 1))
      .add(15, 0x10, Move{0x20})
      .add(40, 0, gc(GcPhase::end, 1))
      .add(50, 0, gc(GcPhase::end, 0));
  Asked asked(make_collections({}));
  asked.feed(batch).finish();
  const Table table = asked.table("collection_generations");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(number(table, 0, "total"), 50U);
  EXPECT_EQ(number(table, 1, "total"), 30U);
  EXPECT_EQ(number(asked.table("collections"), 1, "moved"), 1U);
}

// Concurrent collections of Mono, and CoreProfiler's: whoever is there ends them.
TEST(collections, end_on_another_thread) {
  event::Batch batch;
  Stream(batch, kOther).add(90, 0, gc(GcPhase::end, 1)).add(95, 0, gc(GcPhase::end, 1));
  Stream(batch, kMain)
      .add(10, 0, gc(GcPhase::start, 1))
      .add(20, 0, gc(GcPhase::start, 0))
      .add(25, 0, gc(GcPhase::end, 0));
  Asked asked(make_collections({}));
  const Table table = asked.feed(batch).finish().table("collection_generations");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(number(table, 0, "total"), 5U);
  EXPECT_EQ(number(table, 1, "total"), 80U);
  ASSERT_EQ(table.notes.size(), 1U);  // the end at 95
  EXPECT_NE(table.notes[0].find("1 more ended"), std::string::npos);
}

TEST(collections, unmatched_events_are_said_and_cost_no_time) {
  event::Batch batch;
  Stream(batch, kMain)
      .add(5, 0, gc(GcPhase::end, 0))  // began before the recording
      .add(10, 0, gc(GcPhase::world_started, 0))
      .add(20, 0, gc(GcPhase::start, 0))  // never ends
      .add(30, 0, gc(GcPhase::start, 0))
      .add(37, 0, gc(GcPhase::end, 0));
  Stream(batch, kOther).add(40, 0, gc(GcPhase::end, 0));  // another thread's
  Asked asked(make_collections({}));
  asked.feed(batch).finish();
  const Table table = asked.table("collection_generations");
  EXPECT_EQ(number(table, 0, "count"), 2U);
  EXPECT_EQ(number(table, 0, "total"), 7U);
  EXPECT_EQ(table.notes.size(), 2U);
  EXPECT_TRUE(asked.table("collection_pauses").rows.empty());
  EXPECT_TRUE(unknown(asked.table("collections"), 0, "duration"));
}

// One in the background from 10 to 100, ended by a thread that stands first in the file, and one
// meanwhile; its two stops and that of the other one.
TEST(collections, numbers_tell_what_a_thread_cannot) {
  event::Batch batch;
  Stream(batch, kOther)
      .add(80, 0, gc(GcPhase::world_stopped, event::kAbsent))
      .add(90, 1, gc(GcPhase::world_started, 2))
      .add(100, 1, gc(GcPhase::end, 2));
  Stream(batch, kMain)
      .add(5, 0, gc(GcPhase::world_stopped, event::kAbsent))
      .add(10, 1, gc(GcPhase::start, 2))
      .add(15, 1, gc(GcPhase::world_started, 2))
      .add(20, 0, gc(GcPhase::world_stopped, event::kAbsent))
      .add(21, 2, gc(GcPhase::start, 2))
      .add(25, 2, gc(GcPhase::end, 2))
      .add(26, 2, gc(GcPhase::world_started, 2));
  Asked asked(make_collections({}));
  asked.feed(batch).finish();
  const Table table = asked.table("collection_generations");
  EXPECT_EQ(number(table, 0, "count"), 2U);
  EXPECT_EQ(number(table, 0, "total"), 94U);
  EXPECT_TRUE(table.notes.empty());
  const Table list = asked.table("collections");
  EXPECT_EQ(number(list, 0, "duration"), 90U);
  EXPECT_EQ(number(list, 0, "pause"), 20U);
  EXPECT_EQ(number(list, 1, "duration"), 4U);
  EXPECT_EQ(number(list, 1, "pause"), 6U);
}

// One that runs beside the program begins and ends in stops that others ran in, too: each has its
// own part of those, and nothing of a stop that came between.
TEST(collections, have_their_own_part_of_a_pause_and_pauses_say_what_ran) {
  event::Batch batch;
  Stream main(batch, kMain);
  main.add(90, 0, gc(GcPhase::stop_world, event::kAbsent))
      .add(100, 0, gc(GcPhase::world_stopped, event::kAbsent))
      .add(110, 0, gc(GcPhase::start, 0))
      .add(150, 0, gc(GcPhase::end, 0))
      .add(155, 0, gc(GcPhase::start, 1))
      .add(210, 0, gc(GcPhase::world_started, 1));
  one_stop(main, 300, 0, 4096);
  main.add(480, 0, gc(GcPhase::stop_world, event::kAbsent))
      .add(500, 0, gc(GcPhase::world_stopped, event::kAbsent))
      .add(510, 0, gc(GcPhase::start, 0))
      .add(540, 0, gc(GcPhase::end, 0))
      .add(690, 0, gc(GcPhase::end, 1))
      .add(700, 0, gc(GcPhase::world_started, 1));
  Asked asked(make_collections({}));
  asked.feed(batch).finish();
  const Table list = asked.table("collections");
  ASSERT_EQ(list.rows.size(), 4U);
  EXPECT_EQ(number(list, 0, "pause"), 40U);
  EXPECT_EQ(number(list, 1, "pause"), 55U + 190U);
  EXPECT_EQ(number(list, 2, "pause"), 100U);
  EXPECT_EQ(number(list, 3, "pause"), 30U);
  const Table pauses = asked.table("longest_pauses");
  ASSERT_EQ(pauses.rows.size(), 3U);
  EXPECT_EQ(number(pauses, 0, "start"), 500U);
  EXPECT_EQ(number(pauses, 0, "pause"), 200U);
  EXPECT_EQ(number(pauses, 0, "stopping"), 20U);
  EXPECT_EQ(pauses.rows[0].back(), analysis::Cell{"end of generation 1, generation 0"});
  EXPECT_EQ(number(pauses, 1, "pause"), 110U);
  EXPECT_EQ(number(pauses, 1, "stopping"), 10U);
  EXPECT_EQ(pauses.rows[1].back(), analysis::Cell{"generation 0, begin of generation 1"});
  EXPECT_TRUE(unknown(pauses, 2, "stopping"));
  EXPECT_EQ(pauses.rows[2].back(), analysis::Cell{"generation 0"});
}

TEST(collections, only_selected_times) {
  event::Batch batch;
  Stream main(batch, kMain);
  one_stop(main, 1000, 0, 1);
  one_stop(main, 2000, 1, 1);
  slice::Selection selection;
  selection.from = 1500;
  const Table table =
      Asked(make_collections({selection})).feed(batch).finish().table("collection_generations");
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(number(table, 0, "generation"), 1U);
}

}  // namespace
}  // namespace polytrace::test
