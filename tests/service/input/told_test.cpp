// SPDX-License-Identifier: Apache-2.0
// What an index tells of a trace is what reading all of it gives.
#include "service/input/told.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "format/format.hpp"
#include "store/built.hpp"
#include "store/calls/told.hpp"
#include "store/store.hpp"
#include "support/random.hpp"

namespace polytrace::service::test {
namespace {

using store::indexes::Told;

// One after the other: neither order nor batches matter.
Overview counted(const event::Batch& batch) {
  OverviewConsumer consumer;
  consumer.begin(1);
  consumer.survey(batch, 0);
  consumer.consume(batch);
  return consumer.take();
}

void expect_equal(const Overview& told, const Overview& read) {
  for (std::size_t kind = 0; kind < event::kKindCount; ++kind)
    EXPECT_EQ(told.events[kind], read.events[kind])
        << event::describe(static_cast<event::Kind>(kind)).name;
  EXPECT_EQ(told.first, read.first);
  EXPECT_EQ(told.last, read.last);
  EXPECT_EQ(told.pid, read.pid);
  EXPECT_EQ(told.wall, read.wall);
  EXPECT_EQ(told.wall_at, read.wall_at);
  EXPECT_EQ(told.cut_off, read.cut_off);
  ASSERT_EQ(told.process.size(), read.process.size());
  for (std::size_t i = 0; i < read.process.size(); ++i) {
    EXPECT_EQ(told.process[i].name, read.process[i].name);
    EXPECT_EQ(told.process[i].value, read.process[i].value);
  }
  ASSERT_EQ(told.threads.size(), read.threads.size());
  for (std::size_t i = 0; i < read.threads.size(); ++i) {
    const ThreadSpan &a = told.threads[i], &b = read.threads[i];
    EXPECT_EQ(std::tie(a.id, a.events, a.first, a.last, a.name, a.lives),
              std::tie(b.id, b.events, b.first, b.last, b.name, b.lives))
        << "thread " << b.id;
  }
}

// False: it has to be read.
bool is_told(const event::Batch& batch, const event::PumpOutcome& outcome = {}) {
  const event::Batch* const all[]{&batch};
  const auto store = store::Store::of(store::indexes::index_of(all, {}, outcome));
  const auto told = told_overview(*store);
  EXPECT_TRUE(told) << base::to_text(told.error());
  if (!told || !*told) return false;
  expect_equal(**told, counted(batch));
  return true;
}

TEST(told, is_what_reading_a_recording_gives) {
  std::size_t recordings = 0, told = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(POLYTRACE_TEST_DATA)) {
    if (!entry.is_regular_file()) continue;
    auto source = base::open_source(entry.path().string());
    if (!source) continue;
    const auto opened = format::open(std::move(*source));
    if (!opened) continue;
    SCOPED_TRACE(entry.path().string());
    const auto all = store::indexes::tell(*opened->reader);
    if (all->batch.events.empty()) continue;
    ++recordings;
    told += is_told(all->batch, all->outcome) ? 1 : 0;
  }
  EXPECT_GE(recordings, 30U);
  EXPECT_GE(told, recordings * 9 / 10);  // all but those that only have headings
}

TEST(told, is_what_reading_calls_gives_whatever_was_lost_of_them) {
  std::size_t told = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    event::Batch batch;
    for (std::uint16_t thread = 0; thread < 3; ++thread) {
      const auto slot = batch.thread_slot(7 + thread);
      store::calls::StreamShape shape{.events = 3000};
      shape.irregular = seed % 2 == 0 ? 30 : 0;
      shape.unwinds = seed % 3 == 0 ? 50 : 0;
      shape.tickets = seed % 5 == 0 ? 50 : 0;
      for (const auto& event : store::calls::StreamMaker(shape, seed + 100 * thread).make())
        store::calls::add(batch, slot, event);
    }
    told += is_told(batch) ? 1 : 0;
  }
  EXPECT_EQ(told, 20U);
}

TEST(told, is_what_reading_any_events_gives) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    polytrace::test::RandomEvents random(seed);
    event::Batch batch;
    for (int i = 0; i < 5000; ++i) random.add_any(batch);
    is_told(batch);
  }
}

}  // namespace
}  // namespace polytrace::service::test
