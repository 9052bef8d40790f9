// SPDX-License-Identifier: Apache-2.0
#include "collector/live/stream_work.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "analysis/asked.hpp"
#include "collector/facts.hpp"
#include "collector/streams.hpp"
#include "event/copy.hpp"
#include "service/input/pass.hpp"

namespace polytrace::collector {
namespace {

using event::Batch;
using test::Stream;
using U = std::uint64_t;

constexpr Time kMidnight = 1'795'651'200 * kSecond;

AggregatorOptions as_push() {
  AggregatorOptions options;
  options.otherwise = kMidnight;
  return options;
}

// The bytes in pieces of up to that size, each block as soon as it is whole.
test::Facts worked(base::Bytes stream, std::size_t most, AggregatorOptions options) {
  test::Facts facts;
  StreamWork work(7, std::move(options), [&](Rows&& rows) { facts.add(rows); });
  BlockCutter cutter;
  std::mt19937 random(static_cast<unsigned>(most));
  for (std::size_t at = 0; at < stream.size();) {
    const std::size_t piece = std::min(stream.size() - at, 1 + random() % most);
    EXPECT_TRUE(cutter.feed(stream.subspan(at, piece),
                            [&](const BlockCutter::Block& block) { return work.block(block); }));
    at += piece;
  }
  EXPECT_TRUE(work.finished());
  EXPECT_EQ(work.blocks_missing() + work.blocks_duplicate() + work.blocks_without_clock(), 0U);
  EXPECT_EQ(work.faults(), 0U);
  return facts;
}

test::Facts pushed(const std::string& file) {
  test::Facts facts;
  Aggregator aggregator(as_push(), [&](Rows&& rows) { facts.add(rows); });
  auto opened = service::Input({.file = file}).open_trace();
  Batch batch;
  while (opened->reader->next(batch).value_or(false)) EXPECT_TRUE(aggregator.consume(batch));
  aggregator.finish();
  return facts;
}

std::vector<std::byte> native_copy(const std::string& file) {
  Batch all;
  auto opened = service::Input({.file = file}).open_trace();
  Batch batch;
  while (opened->reader->next(batch).value_or(false))
    for (const event::Event& event : batch.events) event::copy_event(batch, event, all);
  return test::native_stream(7, all, 500);
}

TEST(stream_work, makes_the_rows_of_a_push_however_the_bytes_come) {
  for (const char* name :
       {"mlpd/calls.mlpd", "mlpd/calls_depth20.mlpd", "mlpd/everything.mlpd.gz",
        "mlpd/exceptions_calls.mlpd", "tbf/shop_big.trcbin", "trcxml/shop.trcxml"}) {
    std::string file = POLYTRACE_TEST_DATA "/";
    file += name;
    const test::Facts expected = pushed(file);
    EXPECT_FALSE(expected.rows.empty()) << name;
    const auto stream = native_copy(file);
    for (const std::size_t most : {std::size_t{100}, std::size_t{5'000}, stream.size()})
      EXPECT_EQ(worked(stream, most, as_push()).rows, expected.rows) << name << " " << most;
  }
}

Batch with_clock() {
  Batch batch;
  event::Clock clock;
  clock.wall = kMidnight;
  Stream(batch, 1).add(0, base::kNoId, clock).method(1, "Main").method(2, "Work");
  return batch;
}

TEST(stream_work, drops_blocks_it_has_had_and_tells_of_gaps) {
  Batch batch = with_clock();
  Stream stream(batch, 1);
  for (Time i = 1; i <= 100; ++i)
    stream.add(i * kSecond / 10, 2, event::Enter{}).add(i * kSecond / 10 + 1, 2, event::Leave{});
  const auto blocks = test::blocks_in(test::native_stream(7, batch, 10));
  test::Facts facts;
  AggregatorOptions options;
  StreamWork work(7, options, [&](Rows&& rows) { facts.add(rows); });
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i == 9 || i == 10) continue;  // lost on the way
    ASSERT_TRUE(work.block(blocks[i].view()));
    ASSERT_TRUE(work.block(blocks[i].view()));
    ASSERT_TRUE(work.block(blocks[i / 2].view()));
  }
  EXPECT_TRUE(work.finished());
  EXPECT_EQ(work.blocks_missing(), 2U);
  EXPECT_GT(work.blocks_duplicate(), blocks.size());
  EXPECT_EQ(work.lost(), 2U);
  EXPECT_EQ(work.events(), 203U - 20);
  const auto [calls, time] = facts.sum("profile");
  EXPECT_EQ(calls, 90U);
  EXPECT_EQ(facts.lost, 2U);
}

// How much it lacks nobody knows: it is not none.
TEST(stream_work, tells_that_the_end_of_a_stream_is_missing) {
  Batch batch = with_clock();
  Stream stream(batch, 1);
  for (Time i = 1; i <= 100; ++i)
    stream.add(i * kSecond / 10, 2, event::Enter{}).add(i * kSecond / 10 + 1, 2, event::Leave{});
  const auto blocks = test::blocks_in(test::native_stream(7, batch, 10));
  for (const bool has_end : {true, false}) {
    test::Facts facts;
    StreamWork work(7, {}, [&](Rows&& rows) { facts.add(rows); });
    for (std::size_t i = 0; i + 1 < blocks.size() + has_end; ++i)
      ASSERT_TRUE(work.block(blocks[i].view()));
    EXPECT_EQ(work.finished(), has_end);
    ASSERT_TRUE(work.finish());
    EXPECT_EQ(work.is_cut_off(), !has_end);
    EXPECT_EQ(work.blocks_missing(), has_end ? 0U : 1U);
    EXPECT_EQ(facts.lost, has_end ? 0U : 1U);
    EXPECT_EQ(facts.sum("profile").first, 100U);
  }
}

TEST(stream_work, closes_windows_of_a_silent_stream_and_later_events_make_further_rows) {
  Batch batch = with_clock();
  Stream(batch, 1)
      .add(kSecond, 1, event::Enter{})
      .add(2 * kSecond, 2, event::Enter{})
      .add(3 * kSecond, 2, event::Leave{})
      .add(9 * kSecond, 2, event::Enter{})
      .add(40 * kSecond, 2, event::Leave{});
  const auto blocks = test::blocks_in(test::native_stream(7, batch, 6));
  ASSERT_EQ(blocks.size(), 4U);
  test::Facts facts;
  AggregatorOptions options;
  options.lag = 2 * kSecond;
  StreamWork work(7, options, [&](Rows&& rows) { facts.add(rows); });
  for (std::size_t i = 0; i < 2; ++i) ASSERT_TRUE(work.block(blocks[i].view()));
  EXPECT_TRUE(facts.rows.empty());
  EXPECT_EQ(work.open_since(), kMidnight);
  ASSERT_TRUE(work.close_until(kMidnight + 11 * kSecond));
  EXPECT_TRUE(facts.rows.empty());
  ASSERT_TRUE(work.close_until(kMidnight + 12 * kSecond));
  EXPECT_FALSE(facts.rows.empty());
  EXPECT_EQ(work.open_since(), base::kNoTime);
  EXPECT_EQ(facts.sum("profile"), (std::pair<U, U>{1, 9 * kSecond}));
  ASSERT_TRUE(work.block(blocks[2].view()));
  ASSERT_TRUE(work.block(blocks[3].view()));
  // Until 10 s the thread was told to be in Main: what is told is not taken back.
  EXPECT_EQ(facts.sum("profile"), (std::pair<U, U>{3, 39 * kSecond}));
}

TEST(stream_work, refuses_streams_that_define_too_much) {
  Batch batch = with_clock();
  Stream stream(batch, 1);
  for (base::Id id = 10; id < 200; ++id) stream.method(id, "M" + std::to_string(id));
  const auto blocks = test::blocks_in(test::native_stream(7, batch, 50));
  StreamWork work(7, {}, [](Rows&&) {}, nullptr, {.most_methods = 100});
  std::size_t taken = 0;
  while (taken < blocks.size() && work.block(blocks[taken].view())) ++taken;
  EXPECT_EQ(taken, 3U);
}

}  // namespace
}  // namespace polytrace::collector
