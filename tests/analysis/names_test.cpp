// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "recording.hpp"

namespace polytrace::analysis {
namespace {

// Notes what each Enter means at the time it is fed.
class Meanings : public Analysis {
 public:
  void consume(const Slice& slice) override {
    for (const Run& run : slice.runs) {
      for (std::uint32_t i = run.begin; i < run.end; ++i) {
        const event::Event& event = slice.batch.events[i];
        threads.push_back(run.thread);
        EXPECT_EQ(slice.threads[event.thread], run.thread);
        if (event.kind == event::Kind::Enter)
          methods.push_back(slice.names.methods().index(event.id));
      }
    }
    for (const std::uint32_t i : slice.others) others.push_back(slice.batch.events[i].kind);
  }
  std::vector<Table> tables(const Names&, const TableOptions&) const override { return {}; }

  std::vector<std::uint32_t> methods;
  std::vector<std::uint32_t> threads;
  std::vector<event::Kind> others;
};

event::Thread life(event::Life life, std::string_view name = {}) {
  event::Thread thread;
  thread.life = life;
  thread.name = name;
  return thread;
}

TEST(names, a_definition_may_come_after_the_use) {
  Meanings seen;
  Recording r(seen);
  r.enter(1, 100).leave(2, 100).cut().name(100, "Late").enter(3, 100).finish();
  ASSERT_EQ(seen.methods.size(), 2U);
  EXPECT_EQ(seen.methods[0], seen.methods[1]);
  EXPECT_EQ(r.names().method_name(seen.methods[0]), "Late");
}

TEST(names, another_name_for_an_id_is_another_method_from_there_on) {
  Meanings seen;
  Recording r(seen);
  r.name(100, "Old").enter(1, 100).name(100, "Old").enter(2, 100).name(100, "New").enter(3, 100);
  r.finish();
  EXPECT_EQ(r.slices(), 2);
  ASSERT_EQ(seen.methods.size(), 3U);
  EXPECT_EQ(seen.methods[0], seen.methods[1]);
  EXPECT_EQ(r.names().method_name(seen.methods[0]), "Old");
  EXPECT_EQ(r.names().method_name(seen.methods[2]), "New");
}

TEST(names, a_renaming_at_the_start_of_a_batch_spares_the_events_before_it) {
  Meanings seen;
  Recording r(seen);
  r.name(100, "Old").cut().enter(1, 100).name(100, "New").enter(2, 100).finish();
  EXPECT_EQ(r.names().method_name(seen.methods[0]), "Old");
  EXPECT_EQ(r.names().method_name(seen.methods[1]), "New");
}

TEST(names, an_undefined_method_is_named_by_its_id) {
  Meanings seen;
  Recording r(seen);
  r.enter(1, 0xabc).finish();
  EXPECT_EQ(r.names().method_name(seen.methods[0]), "unknown method 0xabc");
}

TEST(names, a_bare_method_name_gets_its_class_and_others_have_it) {
  Meanings seen;
  Recording r(seen);
  event::Method bare;
  bare.name = "<init>";
  bare.class_id = 7;
  event::Method whole;
  whole.name = "App.Thing:Run (int)";
  whole.class_id = 7;
  event::Method orphan;
  orphan.name = "main";
  orphan.class_id = 8;
  event::Class type;
  type.name = "App.Thing";
  r.add(1, 100, bare).add(1, 101, whole).add(1, 102, orphan).add(2, 7, type);
  r.enter(3, 100).enter(4, 101).enter(5, 102).finish();
  EXPECT_EQ(r.names().method_name(seen.methods[0]), "App.Thing.<init>");
  EXPECT_EQ(r.names().method_name(seen.methods[1]), "App.Thing:Run (int)");
  EXPECT_EQ(r.names().method_name(seen.methods[2]), "main");
}

TEST(names, a_vtable_means_its_class_whenever_it_is_defined) {
  Meanings seen;
  Recording r(seen);
  event::Class type;
  type.name = "App.Thing";
  event::Vtable vtable;
  vtable.class_id = 7;
  const std::uint32_t early = r.names().class_index(900);
  r.add(1, 900, vtable).add(2, 7, type).finish();
  EXPECT_EQ(r.names().class_name(early), "App.Thing");
  EXPECT_EQ(r.names().class_index(900), r.names().class_index(7));
}

TEST(names, a_vtable_of_another_class_is_another_vtable) {
  Meanings seen;
  Recording r(seen);
  event::Class type;
  event::Vtable vtable;
  type.name = "First";
  vtable.class_id = 7;
  r.add(1, 7, type).add(2, 900, vtable).cut();
  const std::uint32_t first = r.names().class_index(900);
  type.name = "Second";
  vtable.class_id = 8;
  r.add(3, 8, type).add(4, 900, vtable).finish();
  EXPECT_EQ(r.names().class_name(first), "First");
  EXPECT_EQ(r.names().class_name(r.names().class_index(900)), "Second");
}

TEST(names, a_thread_id_is_reused_after_its_end) {
  Meanings seen;
  Recording r(seen);
  r.thread(5).enter(1, 100).add(2, 5, life(event::Life::begin));
  r.add(3, 5, life(event::Life::name, "a"));
  r.add(10, 5, life(event::Life::end)).enter(20, 100).add(21, 5, life(event::Life::begin));
  r.add(22, 5, life(event::Life::name, "b")).leave(30, 100).finish();
  EXPECT_EQ(seen.threads, (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1, 1}));
  const auto& threads = r.names().threads();
  ASSERT_EQ(threads.size(), 2U);
  EXPECT_EQ(threads[0].name, "a");
  EXPECT_TRUE(threads[0].ended);
  EXPECT_EQ(threads[0].first, 1);
  EXPECT_EQ(threads[0].last, 10);
  EXPECT_EQ(threads[0].events, 4U);
  EXPECT_EQ(threads[1].name, "b");
  EXPECT_FALSE(threads[1].ended);
  EXPECT_EQ(threads[1].first, 20);
  EXPECT_EQ(threads[1].events, 4U);
  EXPECT_EQ(r.names().thread_index(5), 1U);
}

// Two threads with one id, one behind the other; between any two events a batch may end.
void add_second_life(Recording& r, int step, bool begins) {
  switch (step) {
    case 0: r.add(1, 5, life(event::Life::begin)); break;
    case 1: r.add(2, 5, life(event::Life::name, "first")); break;
    case 2: r.enter(3, 100); break;
    case 3: r.add(4, 5, life(event::Life::end)); break;
    case 4: r.enter(10, 100); break;
    case 5:  // as an index gives it: without details
      if (begins) r.batch().add_plain(11, r.batch().thread_slot(5), 5, event::Kind::Thread);
      break;
    case 6: r.leave(12, 100); break;
    default: r.add(13, 5, life(event::Life::end));
  }
}

TEST(names, where_batches_end_does_not_matter_to_threads) {
  for (const bool begins : {false, true}) {
    for (unsigned cuts = 0; cuts < 256; ++cuts) {
      Meanings seen;
      Recording r(seen);
      r.thread(5);
      for (int step = 0; step < 8; ++step) {
        add_second_life(r, step, begins);
        if ((cuts >> step & 1U) != 0) r.cut();
      }
      r.finish();
      const auto& threads = r.names().threads();
      ASSERT_EQ(threads.size(), 2U) << cuts;
      EXPECT_EQ(threads[0].events, 4U);
      EXPECT_TRUE(threads[0].ended);
      EXPECT_EQ(threads[1].events, begins ? 4U : 3U);
      EXPECT_TRUE(threads[1].ended) << cuts;
      EXPECT_EQ(r.names().thread_name(1), begins ? "0x5" : "first (after its end)") << cuts;
    }
  }
}

TEST(names, what_is_said_late_of_an_ended_thread_is_still_about_it) {
  Meanings seen;
  Recording r(seen);
  r.thread(5).enter(1, 100).add(10, 5, life(event::Life::end)).cut();
  r.thread(6).add(4, 5, life(event::Life::name, "late")).finish();
  ASSERT_EQ(r.names().threads().size(), 2U);
  EXPECT_EQ(r.names().thread_name(0), "late");
}

TEST(names, a_thread_that_goes_on_after_its_end_is_named_after_itself) {
  Meanings seen;
  Recording r(seen);
  r.thread(5).add(1, 5, life(event::Life::name, "Writer")).add(10, 5, life(event::Life::end));
  r.enter(20, 100).finish();
  EXPECT_EQ(r.names().thread_name(1), "Writer (after its end)");
}

TEST(slicer, finds_runs_and_rare_events_among_many_calls) {
  Meanings seen;
  Recording r(seen);
  std::vector<std::uint32_t> threads;
  for (int i = 0; i < 100; ++i) {
    const base::Id thread = i % 37 < 20 ? 1 : 2;
    threads.push_back(thread == 1 ? 0 : 1);
    r.thread(thread);
    if (i % 29 == 28) r.add(i, 0, event::SyncPoint{});
    else r.enter(i, 100);
  }
  r.finish();
  EXPECT_EQ(seen.threads, threads);
  EXPECT_EQ(seen.others, (std::vector<event::Kind>(3, event::Kind::SyncPoint)));
  EXPECT_EQ(seen.methods.size(), 97U);
}

}  // namespace
}  // namespace polytrace::analysis
