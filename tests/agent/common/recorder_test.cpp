// SPDX-License-Identifier: Apache-2.0
#include "agent/common/record/recorder.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "agent/common/recording.hpp"

namespace polytrace::test {
namespace {

using agent::Recorder;
using Event = Recorded::Event;

constexpr std::uint64_t kAllocNumber = 30;
constexpr std::uint64_t kMethodNumber = 17;
constexpr std::uint64_t kNoteNumber = 6;

std::vector<std::uint64_t> values_of(const std::vector<Event>& events) {
  std::vector<std::uint64_t> values;
  for (const Event& event : events) values.push_back(event.value);
  return values;
}

void expect_time_goes_on(const Recorded& recorded) {
  for (const auto& [thread, events] : recorded.by_thread())
    for (std::size_t i = 1; i < events.size(); ++i)
      ASSERT_GE(events[i].tick, events[i - 1].tick) << "thread " << thread << " event " << i;
}

TEST(recorder, records_nothing_unless_started) {
  agent::enter(1);
  agent::leave(1);
  EXPECT_FALSE(agent::emit(event::Note{}, base::kNoId));
  EXPECT_FALSE(agent::define(event::Note{}, base::kNoId));
  EXPECT_TRUE(Recorder::the().stop(0));
}

TEST(recorder, keeps_what_threads_do_in_order) {
  Recording recording;
  std::thread([] {
    agent::name_thread(7);
    agent::enter(1);
    agent::enter(2);
    agent::alloc_at(11);
    agent::alloc_array_at(12, 0);
    agent::alloc_array_at(13, 4'000'000'000U);
    agent::unwind(2);
    agent::leave(1);
  }).join();
  const Recorded recorded = recording.stop_and_read();
  const auto threads = recorded.by_thread();
  ASSERT_TRUE(threads.contains(7));
  const std::vector<Event>& events = threads.at(7);
  EXPECT_EQ(values_of(events), (std::vector<std::uint64_t>{1, 2, 11, 12, 13, 2, 1}));
  EXPECT_EQ(events[4].extra, 4'000'000'000U);
  EXPECT_EQ(events[5].kind, Event::kUnwind);
  EXPECT_EQ(events[6].kind, Event::kLeave);
  expect_time_goes_on(recorded);
  EXPECT_FALSE(std::filesystem::exists(recording.file() + ".segments"));
}

TEST(recorder, keeps_every_one_of_many_events) {
  Recording recording;
  constexpr std::uint32_t kCalls = 300'000;
  constexpr std::uint32_t kThreads = 4;
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < kThreads; ++i)
    threads.emplace_back([i] {
      agent::name_thread(100 + i);
      for (std::uint32_t call = 1; call <= kCalls; ++call) agent::enter(call);
    });
  for (std::thread& thread : threads) thread.join();
  const Recorded recorded = recording.stop_and_read();
  EXPECT_EQ(recorded.lost(), 0U);
  const auto by_thread = recorded.by_thread();
  for (std::uint32_t i = 0; i < kThreads; ++i) {
    const std::vector<Event>& events = by_thread.at(100 + i);
    ASSERT_EQ(events.size(), kCalls);
    for (std::uint32_t call = 0; call < kCalls; ++call) ASSERT_EQ(events[call].value, call + 1);
  }
  expect_time_goes_on(recorded);
}

TEST(recorder, serves_two_hundred_threads) {
  Recording recording("buffer=2m");
  constexpr std::uint32_t kThreads = 200;
  constexpr std::uint32_t kCalls = 3'000;
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < kThreads; ++i)
    threads.emplace_back([i] {
      agent::name_thread(1000 + i);
      for (std::uint32_t call = 1; call <= kCalls; ++call) {
        agent::enter(call);
        agent::leave(call);
      }
    });
  for (std::thread& thread : threads) thread.join();
  const Recorded recorded = recording.stop_and_read();
  EXPECT_EQ(recorded.count(Event::kEnter), kThreads * kCalls);
  EXPECT_EQ(recorded.count(Event::kLeave), kThreads * kCalls);
  EXPECT_EQ(recorded.lost(), 0U);
  expect_time_goes_on(recorded);
}

TEST(recorder, gives_a_thread_without_a_name_one_of_its_own) {
  Recording recording;
  std::thread([] { agent::enter(1); }).join();
  std::thread([] { agent::enter(2); }).join();
  const auto threads = recording.stop_and_read().by_thread();
  std::size_t unnamed = 0;
  for (const auto& [thread, events] : threads) unnamed += thread >> 62 == 1 ? 1 : 0;
  EXPECT_EQ(unnamed, 2U);
}

TEST(recorder, follows_virtual_threads) {
  Recording recording;
  std::thread([] {
    agent::name_thread(5);
    agent::enter(1);
    agent::switch_thread(900);
    agent::enter(2);
    Recorder::the().pause();
    agent::enter(99);
    agent::switch_thread(901);
    Recorder::the().resume();
    agent::enter(3);
    agent::switch_thread(base::kNoId);
    agent::leave(1);
  }).join();
  const auto threads = recording.stop_and_read().by_thread();
  EXPECT_EQ(values_of(threads.at(5)), (std::vector<std::uint64_t>{1, 1}));
  EXPECT_EQ(values_of(threads.at(900)), (std::vector<std::uint64_t>{2}));
  EXPECT_EQ(values_of(threads.at(901)), (std::vector<std::uint64_t>{3}));
}

TEST(recorder, lets_events_go_while_paused) {
  Recording recording("paused");
  agent::name_thread(6);
  agent::enter(1);
  Recorder::the().resume();
  agent::enter(2);
  Recorder::the().pause();
  agent::enter(3);
  Recorder::the().resume();
  agent::enter(4);
  agent::end_thread();
  const Recorded recorded = recording.stop_and_read();
  EXPECT_EQ(values_of(recorded.by_thread().at(6)), (std::vector<std::uint64_t>{2, 4}));
  EXPECT_EQ(recorded.lost(), 0U);
}

TEST(recorder, keeps_bodies_of_every_length) {
  Recording recording;
  constexpr std::size_t kLengths = 400;
  std::thread([] {
    agent::name_thread(8);
    const std::string text(kLengths, 'x');
    for (std::size_t length = 1; length <= kLengths; ++length) {
      event::Note note;
      note.text = std::string_view(text).substr(0, length);
      EXPECT_TRUE(agent::emit(note, base::kNoId));
      agent::enter(static_cast<std::uint32_t>(length));
    }
  }).join();
  const std::vector<Event> events = recording.stop_and_read().by_thread().at(8);
  ASSERT_EQ(events.size(), 2 * kLengths);
  for (std::size_t length = 1; length <= kLengths; ++length) {
    const Event& note = events[2 * length - 2];
    EXPECT_EQ(note.value, kNoteNumber);
    EXPECT_TRUE(note.body.ends_with(std::string(length, 'x'))) << length;
    EXPECT_EQ(note.body.size(), length + (length < 128 ? 2 : 3)) << length;
    EXPECT_EQ(events[2 * length - 1].value, length);
  }
}

TEST(recorder, keeps_large_bodies_and_counts_what_is_too_large) {
  Recording recording;
  std::thread([] {
    agent::name_thread(8);
    const std::string text(agent::kMostEvent + 1, 'x');
    for (const std::size_t length : {std::size_t{5'000}, std::size_t{100'000},
                                     agent::kMostEvent - 100, agent::kMostEvent + 1}) {
      event::Note note;
      note.text = std::string_view(text).substr(0, length);
      EXPECT_EQ(agent::emit(note, base::kNoId), length < agent::kMostEvent);
    }
    agent::enter(1);
  }).join();
  const Recorded recorded = recording.stop_and_read();
  std::size_t notes = 0;
  const std::vector<Event> events = recorded.by_thread().at(8);
  for (const Event& event : events) notes += event.value == kNoteNumber;
  EXPECT_EQ(notes, 3U);
  EXPECT_EQ(recorded.lost(), 1U);
}

TEST(recorder, keeps_stacks_with_places) {
  Recording recording;
  std::thread([] {
    agent::name_thread(9);
    const base::Id frames[] = {3, 4};
    const event::FramePlace places[] = {{1, 10, 0}, {2, 20, 0}};
    agent::Lists lists;
    lists.frames = frames;
    lists.frame_places = places;
    event::Alloc alloc;
    alloc.size = 24;
    alloc.stack = agent::whole_stack(lists);
    EXPECT_TRUE(agent::emit(alloc, 77, lists));
  }).join();
  const std::vector<Event> events = recording.stop_and_read().by_thread().at(9);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].value, kAllocNumber);
  EXPECT_EQ(events[0].extra, 78U);
  // size and stack; 24; 2 frames with places; 3, il 1, line 10, no ip; 4 (one more), 2, 20.
  EXPECT_EQ(events[0].body, std::string("\x06\x18\x05\x06\x04\x16\x00\x02\x06\x2a\x00", 11));
}

TEST(recorder, tells_definitions_before_their_uses) {
  Recording recording("flush=1ms");
  constexpr std::uint32_t kMethods = 20'000;
  std::thread([] {
    agent::name_thread(3);
    for (std::uint32_t method = 1; method <= kMethods; ++method) {
      event::Method definition;
      definition.name = "run";
      EXPECT_TRUE(agent::define(definition, method));
      agent::enter(method);
    }
  }).join();
  const Recorded recorded = recording.stop_and_read();
  std::uint64_t defined = 0;
  std::uint64_t used = 0;
  for (const Event& event : recorded.events) {
    if (event.kind == Event::kBody && event.value == kMethodNumber) {
      ASSERT_EQ(event.extra, ++defined + 1);
      EXPECT_EQ(event.thread, base::kNoId);
    }
    if (event.kind != Event::kEnter) continue;
    ASSERT_LE(event.value, defined);
    used = event.value;
  }
  EXPECT_EQ(defined, kMethods);
  EXPECT_EQ(used, kMethods);
}

TEST(recorder, tells_sites) {
  Recording recording;
  constexpr std::uint32_t kSites = 30'000;
  for (std::uint32_t i = 0; i < kSites; ++i) {
    agent::Site site;
    site.number = i;
    site.class_id = 5;
    EXPECT_TRUE(agent::define_site(site));
  }
  EXPECT_EQ(recording.stop_and_read().sites, kSites);
}

TEST(recorder, flush_brings_all_so_far_into_the_stream) {
  Recording recording("flush=60s");
  agent::name_thread(4);
  for (std::uint32_t round = 1; round <= 5; ++round) {
    agent::enter(round);
    ASSERT_TRUE(Recorder::the().flush(kPatience));
    const Recorded recorded = recording.read_stream();
    ASSERT_EQ(recorded.fault, "");
    EXPECT_EQ(recorded.count(Event::kEnter), round);
    EXPECT_FALSE(recorded.ended);
  }
  agent::end_thread();
}

TEST(recorder, closes_a_segment_before_its_ticks_overflow) {
  Recording recording;
  std::thread([] {
    agent::name_thread(2);
    agent::enter(1);
    agent::t_buffer.base -= format::native::kMaxTicks;  // as if time had passed
    agent::enter(2);
    agent::enter(3);
    agent::t_buffer.base += 1'000'000'000;  // as if a core's counter were behind
    agent::enter(4);
  }).join();
  const Recorded recorded = recording.stop_and_read();
  const std::vector<Event> events = recorded.by_thread().at(2);
  EXPECT_EQ(values_of(events), (std::vector<std::uint64_t>{1, 2, 3, 4}));
  EXPECT_LT(events[2].tick - events[0].tick, format::native::kMaxTicks);
}

TEST(recorder, starts_again_with_the_same_threads) {
  for (std::uint32_t round = 1; round <= 3; ++round) {
    Recording recording;
    agent::name_thread(1);
    agent::enter(round);
    const Recorded recorded = recording.stop_and_read();
    EXPECT_EQ(recorded.count(Event::kEnter), 1U);
    EXPECT_EQ(recorded.by_thread().at(1)[0].value, round);
    agent::enter(99);
  }
}

TEST(recorder, can_be_stopped_under_load) {
  std::atomic<bool> on = true;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      while (on) {
        agent::enter(1);
        agent::leave(1);
      }
    });
  for (int round = 0; round < 5; ++round) {
    Recording recording("buffer=2m");
    while (Recorder::the().status().events < 100'000) std::this_thread::yield();
    recording.stop_and_read();
  }
  on = false;
  for (std::thread& thread : threads) thread.join();
}

TEST(recorder, leaves_a_forked_child_alone) {
  Recording recording;
  agent::name_thread(1);
  agent::enter(1);
  const pid_t child = fork();
  if (child == 0) {
    for (std::uint32_t i = 0; i < 100'000; ++i) agent::enter(2);
    const bool recorded = agent::emit(event::Note{}, base::kNoId);
    _exit(recorded || Recorder::the().state() != agent::State::idle ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  agent::enter(3);
  agent::end_thread();
  const std::vector<Event> events = recording.stop_and_read().by_thread().at(1);
  EXPECT_EQ(values_of(events), (std::vector<std::uint64_t>{1, 3}));
}

TEST(recorder, records_by_other_clocks) {
  for (const char* const clock : {"clock=monotonic", "clock=coarse"}) {
    Recording recording(clock);
    std::thread([] {
      agent::name_thread(1);
      for (std::uint32_t i = 1; i <= 2'000; ++i) agent::enter(i);
    }).join();
    const Recorded recorded = recording.stop_and_read();
    EXPECT_EQ(recorded.count(Event::kEnter), 2'000U);
    expect_time_goes_on(recorded);
    ASSERT_EQ(recorded.lines.size(), 1U);
    EXPECT_EQ(recorded.lines[0].rate, std::uint64_t{1} << 32);
  }
}

TEST(recorder, counts_in_its_status) {
  Recording recording;
  agent::name_thread(1);
  for (std::uint32_t i = 1; i <= 1'000; ++i) agent::enter(i);
  ASSERT_TRUE(Recorder::the().flush(kPatience));
  const agent::Status& status = Recorder::the().status();
  EXPECT_EQ(status.events, 1'002U);  // with the clock and the start
  EXPECT_EQ(status.definitions, 2U);
  EXPECT_EQ(status.lost, 0U);
  EXPECT_EQ(status.threads, 1U);
  EXPECT_EQ(status.bytes, std::filesystem::file_size(recording.file()));
  agent::end_thread();
}

}  // namespace
}  // namespace polytrace::test
