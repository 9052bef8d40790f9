// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <thread>

#include "agent/common/recording.hpp"
#include "agent/common/stream/summary_pace.hpp"

namespace polytrace::test {
namespace {

using agent::Recorder;
using Event = Recorded::Event;

constexpr std::uint64_t kBegin = 26;
constexpr std::uint64_t kEnd = 27;
constexpr std::uint64_t kNote = 6;

// Present fields, then the number of calls where there are any.
std::uint64_t calls_in(const std::string& body) {
  if ((body[0] & 1) == 0) return 0;
  std::uint64_t calls = 0;
  for (unsigned i = 1, shift = 0;; ++i, shift += 7) {
    const auto byte = static_cast<unsigned char>(body[i]);
    calls |= std::uint64_t{byte & 0x7fU} << shift;
    if ((byte & 0x80U) == 0) return calls;
  }
}

// "1x2(2x4() 3x2())" : method x calls ( what it called ).
std::string tree_of(const std::vector<Event>& events) {
  std::string text;
  for (const Event& event : events) {
    if (event.value == kEnd) text += ')';
    if (event.value != kBegin) continue;
    // Present fields, then the number of calls where there are any.
    const bool calls = (event.body[0] & 1) != 0;
    text += std::to_string(event.extra - 1) + 'x' +
            std::to_string(calls ? static_cast<int>(event.body[1]) : 0) + '(';
  }
  return text;
}

TEST(summary, tells_a_tree_of_calls_instead_of_calls) {
  Recording recording("mode=summary");
  std::thread([] {
    agent::name_thread(1);
    for (int i = 0; i < 2; ++i) {
      agent::enter(1);
      for (int j = 0; j < 2; ++j) {
        agent::enter(2);
        agent::leave(2);
      }
      agent::enter(3);
      agent::unwind(3);
      event::Note note;
      note.text = "goes on as it is";
      agent::emit(note, base::kNoId);
      agent::leave(1);
    }
    agent::enter(2);
    agent::leave(2);
  }).join();
  const Recorded recorded = recording.stop_and_read();
  const std::vector<Event> events = recorded.by_thread().at(1);
  EXPECT_EQ(tree_of(events), "2x1()1x2(3x2()2x4())");
  EXPECT_EQ(recorded.count(Event::kEnter), 0U);
  EXPECT_EQ(events[0].value, kNote);
  EXPECT_EQ(events[1].value, kNote);
}

TEST(summary, is_due_at_multiples_of_its_time) {
  agent::SummaryPace never;
  never.start(0, 5);
  EXPECT_FALSE(never.take(1'000'000));
  EXPECT_EQ(never.left(5), INT64_MAX);
  agent::SummaryPace pace;
  pace.start(100, 1234);
  EXPECT_EQ(pace.left(1234), 66);
  EXPECT_FALSE(pace.take(1299));
  EXPECT_TRUE(pace.take(1300));
  EXPECT_FALSE(pace.take(1300));
  EXPECT_EQ(pace.left(1301), 99);
  EXPECT_TRUE(pace.take(1777));  // late: once, and then as planned
  EXPECT_EQ(pace.left(1777), 23);
  EXPECT_EQ(pace.left(50), 100);  // set back: no longer than one interval
  EXPECT_FALSE(pace.take(50));
  EXPECT_EQ(pace.left(50), 50);
  EXPECT_TRUE(pace.take(100));
}

// Whatever the tables' number, calls are told once.
TEST(summary, is_told_every_so_often) {
  Recording recording("mode=summary,summary=100ms,flush=1s");
  agent::name_thread(1);
  agent::enter(1);
  std::uint64_t calls = 0;
  const auto tables = [&] {
    const auto events = recording.read_stream().by_thread()[1];
    return std::ranges::count_if(
        events, [](const Event& event) { return event.value == kBegin && event.extra == 3; });
  };
  while (tables() < 3) {
    for (int i = 0; i < 50; ++i, ++calls) {
      agent::enter(2);
      agent::leave(2);
    }
  }
  agent::leave(1);
  std::uint64_t told = 0;
  const std::vector<Event> events = recording.stop_and_read().by_thread().at(1);
  for (const Event& event : events)
    if (event.value == kBegin && event.extra == 3) told += calls_in(event.body);
  EXPECT_EQ(told, calls);
}

TEST(summary, closes_what_an_exception_left) {
  Recording recording("mode=summary");
  std::thread([] {
    agent::name_thread(1);
    agent::enter(1);
    agent::enter(2);
    agent::enter(3);
    agent::leave(9);  // entered before recording
    agent::leave(1);
    agent::enter(4);
    agent::leave(4);
  }).join();
  EXPECT_EQ(tree_of(recording.stop_and_read().by_thread().at(1)), "4x1()1x1(2x1(3x1()))");
}

TEST(summary, is_told_at_a_pause_and_begins_anew) {
  Recording recording("mode=summary");
  agent::name_thread(1);
  agent::enter(1);
  agent::enter(2);
  agent::leave(2);
  Recorder::the().pause();
  EXPECT_EQ(tree_of(recording.read_stream().by_thread().at(1)), "1x1(2x1())");
  Recorder::the().resume();
  agent::enter(3);
  agent::leave(3);
  agent::leave(1);
  agent::end_thread();
  // The call that went on has time of its own, but was told as a call before.
  EXPECT_EQ(tree_of(recording.stop_and_read().by_thread().at(1)), "1x1(2x1())1x0(3x1())");
}

TEST(summary, adds_up_many_calls_of_many_threads) {
  Recording recording("mode=summary,buffer=2m");
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < 4; ++i)
    threads.emplace_back([i] {
      agent::name_thread(50 + i);
      for (int call = 0; call < 100; ++call) {
        agent::enter(1);
        for (std::uint32_t method = 2; method < 1'000; ++method) {
          agent::enter(method);
          agent::leave(method);
        }
        agent::leave(1);
      }
    });
  for (std::thread& thread : threads) thread.join();
  const auto by_thread = recording.stop_and_read().by_thread();
  for (std::uint64_t i = 0; i < 4; ++i) {
    const std::string tree = tree_of(by_thread.at(50 + i));
    EXPECT_THAT(tree, testing::StartsWith("1x100(999x100()998x100()"));
    EXPECT_THAT(tree, testing::EndsWith("2x100())"));
  }
}

}  // namespace
}  // namespace polytrace::test
