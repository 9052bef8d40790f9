// SPDX-License-Identifier: Apache-2.0
// Each case is a small trace whose states were worked out by hand from docs/states.md.
#include "analysis/states/states.hpp"

#include "analysis/derived.hpp"
#include "base/codes.hpp"

namespace polytrace::test {
namespace {

using analysis::States;

TEST(states, of_a_trace_without_events) {
  const Derived derived = derive("");
  EXPECT_EQ(derived.extent().first, 0);
  EXPECT_EQ(derived.extent().last, 0);
  EXPECT_EQ(derived.at(0, "Recording"), "running");
  EXPECT_EQ(derived.children("Threads"), "");
}

TEST(states, calls_nest_and_unwind) {
  const Derived derived = derive(R"(5 0x1 method method=0xa name="A"
5 0x1 method method=0xb name="B"
10 0x1 enter method=0xa
20 0x1 enter method=0xb
30 0x1 enter method=0xb
40 0x1 leave method=0xb
50 0x1 unwind method=0xb
60 0x1 leave method=0xa
70 0x1 note text="end"
)");
  EXPECT_EQ(derived.over_time("Threads/0x1/Method"), "5 null; 10 A; 20 B; 50 A; 60 null");
  EXPECT_EQ(derived.over_time("Threads/0x1/Stack"),
            "5 null; 10 1; 20 2; 30 3; 40 2; 50 1; 60 null");
  EXPECT_EQ(derived.over_time("Threads/0x1/Stack/1"), "5 null; 10 A; 60 null");
  EXPECT_EQ(derived.over_time("Threads/0x1/Stack/2"), "5 null; 20 B; 50 null");
  EXPECT_EQ(derived.over_time("Threads/0x1/Stack/3"), "5 null; 30 B; 40 null");
  EXPECT_EQ(derived.over_time("Threads/0x1/Status"), "5 unknown");
  EXPECT_EQ(derived.extent().last, 70);
}

TEST(states, of_unmatched_leaves) {
  const Derived derived = derive(R"(1 0x1 method method=0xa name="A"
1 0x1 method method=0xb name="B"
1 0x1 method method=0xc name="C"
10 0x1 enter method=0xa
20 0x1 enter method=0xb
30 0x1 enter method=0xb
40 0x1 leave method=0xc
50 0x1 leave method=0xa
60 0x1 leave method=0xa
70 0x1 enter method=0xc
)");
  // 40: C is not open. 50: A is, so both calls of B end. 60: nothing is open.
  EXPECT_EQ(derived.over_time("Threads/0x1/Stack"), "1 null; 10 1; 20 2; 30 3; 50 null; 70 1");
  EXPECT_EQ(derived.over_time("Threads/0x1/Method"), "1 null; 10 A; 20 B; 50 null; 70 C");
  EXPECT_EQ(derived.over_time("Threads/0x1/Stack/2"), "1 null; 20 B; 50 null");
}

TEST(states, at_one_tick_the_last_wins) {
  const Derived derived = derive(R"(1 0x1 method method=0xa name="A"
1 0x1 method method=0xb name="B"
10 0x1 enter method=0xa
20 0x1 leave method=0xa
20 0x1 enter method=0xb
30 0x1 leave method=0xb
30 0x1 enter method=0xb
40 0x1 leave method=0xb
)");
  EXPECT_EQ(derived.over_time("Threads/0x1/Method"), "1 null; 10 A; 20 B; 40 null");
  EXPECT_EQ(derived.over_time("Threads/0x1/Stack"), "1 null; 10 1; 40 null");
}

TEST(states, names_may_come_late_and_change) {
  const Derived derived = derive(R"(10 0x1 enter method=0xa
20 0x1 enter method=0xb

30 0x1 method method=0xa name="A"
40 0x1 thread thread=0x1 life=name name="first"
50 0x1 thread thread=0x1 life=name name="second"
60 0x1 enter method=0xa

70 0x1 method method=0xa name="other"
80 0x1 leave method=0xa
90 0x1 enter method=0xa
)");
  // The method's name holds back to its first call; a second definition means another method, whose
  // leave at 80 fits no call. The thread has its first name from the beginning.
  EXPECT_EQ(derived.over_time("Threads/0x1/Stack/1"), "10 A");
  EXPECT_EQ(derived.over_time("Threads/0x1/Stack/2"), "10 null; 20 unknown method 0xb");
  EXPECT_EQ(derived.over_time("Threads/0x1/Stack/3"), "10 null; 60 A");
  EXPECT_EQ(derived.over_time("Threads/0x1/Stack/4"), "10 null; 90 other");
  EXPECT_EQ(derived.over_time("Threads/0x1/Name"), "10 first; 50 second");
}

TEST(states, of_a_thread_that_ends_and_whose_id_comes_again) {
  const Derived derived = derive(R"(10 0x7 thread thread=0x7 life=begin name="one"
20 0x7 enter method=0xa
30 0x7 alloc class=0xc size=8
40 0x7 thread thread=0x7 life=end
50 0x7 thread thread=0x7 life=begin name="two"
60 0x7 enter method=0xb
)");
  EXPECT_EQ(derived.children("Threads"), "0x7 0x7#2");
  EXPECT_EQ(derived.over_time("Threads/0x7/Status"), "10 unknown; 40 ended");
  EXPECT_EQ(derived.over_time("Threads/0x7/Method"), "10 null; 20 unknown method 0xa; 40 null");
  EXPECT_EQ(derived.over_time("Threads/0x7/Stack/1"), "10 null; 20 unknown method 0xa; 40 null");
  EXPECT_EQ(derived.over_time("Threads/0x7/Allocations"), "10 null; 30 1");
  EXPECT_EQ(derived.over_time("Threads/0x7#2/Status"), "10 null; 50 unknown");
  EXPECT_EQ(derived.at(60, "Threads/0x7#2/Name"), "two");
  EXPECT_EQ(derived.at(60, "Threads/0x7#2/Method"), "unknown method 0xb");
}

constexpr std::string_view kContention = R"(1 0x1 note text="a"
1 0x2 note text="b"
10 0x1 monitor object=0x50 stage=contended class_id=0xc
12 0x1 monitor object=0x50 stage=acquired class_id=0xc
20 0x2 monitor object=0x50 stage=contended class_id=0xc
25 0x3 monitor object=0x50 stage=contended class_id=0xc
30 0x2 monitor object=0x50 stage=acquired class_id=0xc
35 0x3 monitor object=0x50 stage=failed class_id=0xc
40 0x2 wait object=0x50 stage=start
45 0x1 monitor object=0x50 stage=contended owner=0x3
50 0x2 wait object=0x50 stage=end
60 0x3 thread thread=0x3 life=end
70 0x1 class class=0xc life=name name="Lock"
)";

TEST(states, of_threads_that_contend_for_a_monitor) {
  const Derived derived = derive(kContention);
  EXPECT_EQ(derived.over_time("Threads/0x1/Status"),
            "1 unknown; 10 blocked; 12 unknown; 45 blocked");
  EXPECT_EQ(derived.over_time("Threads/0x2/Status"),
            "1 unknown; 20 blocked; 30 unknown; 40 waiting; 50 unknown");
  EXPECT_EQ(derived.over_time("Threads/0x3/Status"), "1 null; 25 blocked; 35 unknown; 60 ended");
  EXPECT_EQ(derived.over_time("Threads/0x2/Waits for"),
            "1 null; 20 0x50; 30 null; 40 0x50; 50 null");
}

TEST(states, of_a_monitor) {
  const Derived derived = derive(kContention);
  EXPECT_EQ(derived.over_time("Monitors/0x50/Class"), "1 null; 10 Lock");
  // 12, 35: nobody waits for it any more, and nothing says when it is released. 30: others still
  // wait. 45: the owner is told. 60: it ends.
  EXPECT_EQ(derived.over_time("Monitors/0x50/Owner"), "1 null; 30 0x2; 35 null; 45 0x3; 60 null");
  EXPECT_EQ(derived.over_time("Monitors/0x50/Waiters"),
            "1 null; 10 1; 12 0; 20 1; 25 2; 30 1; 35 0; 40 1; 45 2; 50 1");
  EXPECT_EQ(derived.over_time("Monitors/0x50/Waiting"),
            "1 null; 10 0x1; 12 null; 20 0x2; 25 0x2, 0x3; 30 0x3; 35 null; 40 0x2; 45 0x2, 0x1; "
            "50 0x1");
}

// No release is recorded: the last one that got it may own nothing any more.
TEST(states, who_waits_in_an_object_gives_its_lock_up) {
  const Derived derived = derive(R"(1 0x1 monitor object=0x50 stage=contended owner=0x2
2 0x3 monitor object=0x50 stage=contended owner=0x2
3 0x2 wait object=0x50 stage=start
4 0x1 monitor object=0x50 stage=acquired
5 0x3 monitor object=0x50 stage=acquired
)");
  EXPECT_EQ(derived.over_time("Monitors/0x50/Owner"), "1 0x2; 3 null; 4 0x1; 5 null");
}

// 10 to 20 it used 10 of 10 ns, 20 to 30 it used 4: it may have waited.
TEST(states, a_thread_runs_while_its_cpu_time_says_so) {
  const Derived derived = derive(R"(10 0x1 cpu scope=thread used=7
20 0x1 cpu scope=thread used=10
30 0x1 cpu scope=thread used=4
35 0x1 cpu scope=thread used=5
40 0x1 cpu scope=thread used=5
)");
  EXPECT_EQ(derived.over_time("Threads/0x1/Status"),
            "10 running; 20 unknown; 30 running; 40 unknown");
}

// Each stands for others that were not told.
TEST(states, sampled_allocations_count_what_they_stand_for) {
  const Derived derived = derive(R"(1 0x1 alloc class=0xc size=8 weight=10
2 0x1 alloc class=0xc size=100
)");
  EXPECT_EQ(derived.over_time("Threads/0x1/Allocations"), "1 10; 2 11");
  EXPECT_EQ(derived.over_time("Threads/0x1/Allocated"), "1 80; 2 180");
}

TEST(states, the_class_of_a_lock_is_found_by_its_allocation) {
  const Derived derived = derive(R"(1 0x1 class class=0xc life=name name="Lock"
2 0x1 alloc class=0xc object=0x50 size=16
3 0x1 move object=0x50 to=0x60
4 0x1 monitor object=0x60 stage=contended
)");
  EXPECT_EQ(derived.at(4, "Monitors/0x60/Class"), "Lock");
}

TEST(states, only_the_first_waiters_are_named) {
  std::string lines;
  for (int thread = 1; thread <= 18; ++thread)
    lines += fmt::format("{} {:#x} monitor object=0x50 stage=contended\n", thread, thread);
  const Derived derived = derive(lines);
  EXPECT_EQ(derived.at(16, "Monitors/0x50/Waiting"),
            "0x1, 0x2, 0x3, 0x4, 0x5, 0x6, 0x7, 0x8, 0x9, 0xa, 0xb, 0xc, 0xd, 0xe, 0xf, 0x10");
  EXPECT_EQ(
      derived.at(18, "Monitors/0x50/Waiting"),
      "0x1, 0x2, 0x3, 0x4, 0x5, 0x6, 0x7, 0x8, 0x9, 0xa, 0xb, 0xc, 0xd, 0xe, 0xf, 0x10, 2 more");
  EXPECT_EQ(derived.at(18, "Monitors/0x50/Waiters"), "18");
}

TEST(states, a_collection_pauses_threads_and_gives_them_back) {
  const Derived derived = derive(R"(1 0x1 note text="a"
2 0x2 wait object=0x50 stage=start
10 0x1 gc phase=stop_world generation=0
12 0x1 gc phase=world_stopped generation=0
14 0x1 gc phase=start generation=0 reason="full"
15 0x1 gc phase=mark_start generation=0
16 0x2 wait object=0x50 stage=end
17 0x1 gc phase=mark_end generation=0
18 0x1 gc phase=end generation=0
20 0x1 gc phase=start_world generation=0
22 0x1 gc phase=world_started generation=0
30 0x1 gc phase=start generation=1
31 0x3 thread thread=0x3 life=begin
40 0x1 gc phase=end generation=1
)");
  EXPECT_EQ(derived.over_time("Threads/0x1/Status"), "1 unknown; 12 paused; 22 unknown");
  // Its wait ended in the pause.
  EXPECT_EQ(derived.over_time("Threads/0x2/Status"), "1 null; 2 waiting; 12 paused; 22 unknown");
  EXPECT_EQ(derived.over_time("Threads/0x2/Waits for"), "1 null; 2 0x50; 16 null");
  EXPECT_EQ(derived.over_time("Threads/0x3/Status"), "1 null; 31 unknown");
  EXPECT_EQ(
      derived.over_time("Collector/Phase"),
      "1 null; 10 stopping; 12 stopped; 14 collecting; 15 marking; 17 collecting; 18 stopped; "
      "20 restarting; 22 idle; 30 collecting; 40 idle");
  EXPECT_EQ(derived.over_time("Collector/Generation"), "1 null; 14 0; 18 null; 30 1; 40 null");
  EXPECT_EQ(derived.over_time("Collector/Collections"), "1 null; 14 1; 30 2");
  EXPECT_EQ(derived.over_time("Collector/Reason"), "1 null; 14 full; 18 null");
}

TEST(states, without_phases_of_the_world_a_collection_is_the_pause) {
  const Derived derived = derive(R"(1 0x1 note text="a"
10 0x2 gc phase=start generation=1
12 0x2 gc phase=start generation=0
14 0x2 gc phase=end generation=0
20 0x2 gc phase=end generation=1
)");
  EXPECT_EQ(derived.over_time("Threads/0x1/Status"), "1 unknown; 10 paused; 20 unknown");
  EXPECT_EQ(derived.over_time("Collector/Generation"), "1 null; 10 1; 12 0; 14 1; 20 null");
}

TEST(states, the_end_of_a_collection_may_not_tell_its_generation) {
  const Derived derived = derive(R"(10 0x1 gc phase=start generation=0 reason="induced"
12 0x1 gc phase=start generation=2
14 0x1 gc phase=end
20 0x1 gc phase=end
30 0x1 gc phase=end
)");
  // An end belongs to the oldest start.
  EXPECT_EQ(derived.over_time("Collector/Generation"), "10 0; 12 2; 20 null");
  EXPECT_EQ(derived.over_time("Collector/Phase"), "10 collecting; 20 idle");
}

TEST(states, what_follows_a_threads_end_makes_no_thread) {
  const Derived derived = derive(R"(10 0x7 thread thread=0x7 life=begin
20 0x7 thread thread=0x7 life=end
30 0x7 note text="late"
)");
  EXPECT_EQ(derived.children("Threads"), "0x7");
  EXPECT_EQ(derived.over_time("Threads/0x7/Status"), "10 unknown; 20 ended");
}

TEST(states, sync_points_pause_where_nothing_better_is_told) {
  const Derived derived = derive(R"(1 0x1 note text="a"
10 0x2 sync sync=world_stop
20 0x2 sync sync=world_start
30 0x2 sync sync=periodic
)");
  EXPECT_EQ(derived.over_time("Threads/0x1/Status"), "1 unknown; 10 paused; 20 unknown");
}

TEST(states, samples_hold_until_the_next_one_of_their_thread) {
  const Derived derived = derive(R"(1 0x9 method method=0xa name="A"
1 0x9 method method=0xb name="B"
1 0x9 method method=0xc name="C"
10 0x9 sample thread=0x1 mode=cpu stack=[0xa,0xb]
15 0x9 sample thread=0x2 mode=cpu stack=[0xc]
20 0x9 sample thread=0x1 mode=cpu stack=[0xa,0xc,0xb]
30 0x9 sample thread=0x1 mode=cpu stack=[0xa]
40 0x9 sample thread=0x1 mode=cpu stack=[]

12 0x1 enter method=0xa
)");
  EXPECT_EQ(derived.over_time("Threads/0x1/Sampled"), "1 null; 10 2; 20 3; 30 1; 40 null");
  EXPECT_EQ(derived.over_time("Threads/0x1/Sampled/1"), "1 null; 10 A; 40 null");
  EXPECT_EQ(derived.over_time("Threads/0x1/Sampled/2"), "1 null; 10 B; 20 C; 30 null");
  EXPECT_EQ(derived.over_time("Threads/0x1/Sampled/3"), "1 null; 20 B; 30 null");
  EXPECT_EQ(derived.over_time("Threads/0x2/Sampled/1"), "1 null; 15 C");
  // Thread 1 was mentioned before it was known, 2 never told anything.
  EXPECT_EQ(derived.over_time("Threads/0x1/Status"), "1 null; 10 unknown");
  EXPECT_EQ(derived.over_time("Threads/0x2/Status"), "1 null; 15 unknown");
  EXPECT_EQ(derived.over_time("Threads/0x1/Stack"), "1 null; 12 1");
  EXPECT_EQ(derived.children("Threads"), "0x9 0x1 0x2");
}

TEST(states, of_the_recording) {
  EXPECT_EQ(derive(R"(1 - recording stage=start
5 - recording stage=pause
7 - recording stage=resume
9 - recording stage=end
)")
                .over_time("Recording"),
            "1 running; 5 paused; 7 running; 9 ended");
  EXPECT_EQ(derive("1 0x1 note text=\"a\"\n5 - recording stage=resume\n").over_time("Recording"),
            "1 paused; 5 running");
}

constexpr std::string_view kOutOfOrder = R"(10 0x1 monitor object=0x50 stage=contended
40 0x1 monitor object=0x50 stage=acquired
60 0x1 enter method=0xa

5 0x2 monitor object=0x50 stage=acquired
20 0x2 monitor object=0x60 stage=contended
15 0x2 monitor object=0x60 stage=acquired
30 0x3 monitor object=0x50 stage=contended
50 0x2 wait object=0x50 stage=start
)";

TEST(states, are_those_of_one_order_of_time) {
  const Derived derived = derive(kOutOfOrder);
  EXPECT_EQ(derived.extent().first, 5);
  EXPECT_EQ(derived.over_time("Monitors/0x50/Owner"), "5 null; 40 0x1");
  EXPECT_EQ(derived.over_time("Monitors/0x50/Waiting"),
            "5 null; 10 0x1; 30 0x1, 0x3; 40 0x3; 50 0x3, 0x2");
  // A thread's own order wins over its clock: 15 counts as 20.
  EXPECT_EQ(derived.over_time("Threads/0x2/Status"), "5 unknown; 50 waiting");
  EXPECT_EQ(derived.over_time("Monitors/0x60/Waiters"), "5 null; 20 0");
}

// More than the sorter keeps in memory, of threads whose streams come in pieces.
std::string many_calls() {
  std::string lines;
  for (int piece = 0; piece < 40; ++piece) {
    for (int thread = 1; thread <= 3; ++thread)
      for (int i = 0; i < 60; ++i) {
        const int time = piece * 1000 + i * 10 + thread;
        lines += fmt::format("{} {:#x} {} method={:#x}\n", time, thread, i < 30 ? "enter" : "leave",
                             i < 30 ? i : 59 - i);
        if (i % 7 == 0) lines += fmt::format("{} {:#x} alloc class=0xc size={}\n", time, thread, i);
      }
    lines += '\n';
  }
  return lines;
}

TEST(states, do_not_depend_on_what_is_kept_in_memory) {
  const std::string lines = many_calls();
  const Derived little = derive(lines, {.sort_bytes = 1});
  const Derived much = derive(lines);
  const auto all = [](const Derived& derived) {
    std::string out;
    for (const auto key : derived.history().keys()) {
      const auto node = derived.history().tree().node(key);
      const std::string path = derived.history().tree().path(node);
      out += path + ": " + derived.over_time(path) + "\n";
    }
    return out;
  };
  EXPECT_GT(all(much).size(), 100000U);
  EXPECT_EQ(all(little), all(much));
  EXPECT_EQ(little.at(20 * 1000 + 29 * 10 + 2, "Threads/0x2/Stack"), "30");
  EXPECT_EQ(little.at(20 * 1000 + 29 * 10 + 1, "Threads/0x2/Stack"), "29");
}

TEST(states, at_the_ends_of_time) {
  const Derived derived = derive(R"(-9223372036854775807 0x1 enter method=0xa
9223372036854775807 0x1 leave method=0xa
9223372036854775807 0x1 enter method=0xb
0 0x2 enter method=0xa
)");
  EXPECT_EQ(derived.over_time("Threads/0x1/Method"),
            "-9223372036854775807 unknown method 0xa; 9223372036854775806 unknown method 0xb");
  EXPECT_EQ(derived.at(0, "Threads/0x2/Stack"), "1");
  EXPECT_TRUE(derived.notices().empty());
}

TEST(states, of_texts_that_are_no_utf8_or_empty) {
  const Derived derived = derive(R"(1 0x1 method method=0xa name="\xff\xfe"
1 0x1 enter method=0xa
1 0x1 counter_def counter=0x1 section_name="/" type=int32 unit=raw
2 0x1 counter counter=0x1 type=int32 number=1
)");
  EXPECT_EQ(derived.at(1, "Threads/0x1/Method"), "\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(derived.at(2, R"(Counters/\//0x1)"), "1");
}

TEST(states, beyond_the_deepest_level_only_the_depth_is_told) {
  Derived derived([](States& states) {
    event::Batch batch;
    const auto thread = batch.thread_slot(1);
    for (int i = 0; i < 100002; ++i) batch.add_plain(i, thread, 0xa, event::Kind::Enter);
    for (int i = 0; i < 3; ++i) batch.add_plain(200000 + i, thread, 0xa, event::Kind::Leave);
    EXPECT_TRUE(states.consume(batch));
  });
  EXPECT_EQ(derived.at(100001, "Threads/0x1/Stack"), "100002");
  EXPECT_EQ(derived.at(100001, "Threads/0x1/Stack/100000"), "unknown method 0xa");
  EXPECT_EQ(derived.at(100001, "Threads/0x1/Stack/100001"), "none");
  EXPECT_EQ(derived.at(200001, "Threads/0x1/Stack/100000"), "unknown method 0xa");
  EXPECT_EQ(derived.at(200002, "Threads/0x1/Stack"), "99999");
  EXPECT_EQ(derived.at(200002, "Threads/0x1/Stack/100000"), "null");
}

TEST(states, events_of_no_thread_have_a_place_without_status) {
  const Derived derived = derive("1 - alloc class=0xc size=8\n2 0x1 note text=\"a\"\n");
  EXPECT_EQ(derived.over_time("Threads/-/Allocated"), "1 8");
  EXPECT_EQ(derived.at(1, "Threads/-/Status"), "none");
}

TEST(states, the_clock_tells_wall_time) {
  EXPECT_EQ(derive("5 0x1 clock wall=1000\n9 0x1 clock wall=7\n").extent().clock_offset, 995);
  EXPECT_EQ(derive("5 0x1 note text=\"a\"\n").extent().clock_offset, std::nullopt);
}

TEST(states, what_the_builder_refuses_is_counted) {
  States states;
  event::Batch batch;
  ASSERT_TRUE(event::parse_text("10 0x1 enter method=0xa", batch));
  ASSERT_TRUE(states.consume(batch));
  const TemporaryFolder folder;
  auto options = states.build_options();
  options.start = 20;  // later than REQUIRED
  auto builder = history::Builder::create(folder.file("history.bin"), options);
  ASSERT_TRUE(builder);
  ASSERT_TRUE(states.build(*builder));
  ASSERT_NE(states.notices().find(base::Code::time_outside), nullptr);
  // Recording, Status, Stack, Stack/1 and Method.
  EXPECT_EQ(states.notices().find(base::Code::time_outside)->count, 5U);
}

}  // namespace
}  // namespace polytrace::test
