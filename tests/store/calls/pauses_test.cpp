// SPDX-License-Identifier: Apache-2.0
// What of a path's time lies in pauses, and what of the rest its thread waited, in whole indexes.
#include <gtest/gtest.h>

#include <random>

#include "store/calls/paused_trace.hpp"

namespace polytrace::store::calls {
namespace {

PartsByStack told(const IndexFrames& index, const RangeSums& sums) {
  PartsByStack all;
  for (const PathFigures& sum : sums.paths()) {
    std::vector<base::Id> stack;
    index.frames(sum.path, stack);
    all[stack] = {sum.calls,   sum.self,    sum.self - sum.blocked - sum.waiting - sum.paused,
                  sum.blocked, sum.waiting, sum.paused};
  }
  return all;
}

void expect_parts(const PausedTrace& trace, const IndexFrames& index,
                  const std::vector<Span>& pauses, int ranges, unsigned seed) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < tried(ranges); ++i) {
    const Range range = trace.random_range(random);
    const auto sums = range_sums(index, range);
    ASSERT_TRUE(sums) << base::to_text(sums.error());
    ASSERT_TRUE(sums->pauses_known());
    ASSERT_EQ(told(index, *sums), trace.truth(range, pauses)) << range.from << " to " << range.to;
  }
}

std::vector<Stream> some_streams(std::size_t events, unsigned seed) {
  const StreamShape shape{.events = events,
                          .methods = 12,
                          .depth = 10,
                          .irregular = 10,
                          .tickets = 20,
                          .waits = 40,
                          .unwinds = 10,
                          .step = 100};
  return {random_stream(shape, seed), random_stream(shape, seed + 1),
          random_stream(shape, seed + 2)};
}

std::size_t sums_of_pauses(const IndexFrames& index) {
  std::size_t all = 0;
  for (std::uint32_t thread = 0; thread < index.threads(); ++thread)
    all += index.pause_sums(thread).size();
  return all;
}

TEST(pauses_of_a_range, are_those_of_a_walk_over_all_events) {
  PausedTrace trace(some_streams(40'000, 1));
  const auto pauses = trace.pause_at_random(kStops, 300, 1500, 2);
  ASSERT_GT(pauses.size(), 100U);
  // Blocks of at most a few hundred events.
  const auto index = trace.index({.most_open = 4096, .commit_each = 1});
  EXPECT_GT(sums_of_pauses(*index), 5U);
  expect_parts(trace, *index, pauses, 200, 4);
}

TEST(pauses_of_a_range, are_exact_where_full_blocks_have_few_or_one_that_lasts) {
  PausedTrace trace(some_streams(60'000, 10));
  auto pauses = trace.pause_at_random(kStops, 3, 50, 11);
  const auto index = trace.index();
  expect_parts(trace, *index, pauses, 60, 12);
  PausedTrace stopped(some_streams(60'000, 10));
  pauses = stopped.pause_at_random(kStops, 2, 2'000'000, 13);
  expect_parts(stopped, *stopped.index(), pauses, 60, 14);
}

// Two threads stop the world by turns: what overlaps counts once.
TEST(pauses_of_a_range, count_once_what_two_stops_cover) {
  PausedTrace trace(some_streams(20'000, 20));
  auto pauses = trace.pause_at_random(kStops, 100, 4000, 21);
  const auto others = trace.pause_at_random(kOtherStops, 100, 4000, 22);
  const auto rest = without(others, pauses);
  pauses.insert(pauses.end(), rest.begin(), rest.end());
  std::ranges::sort(pauses);
  expect_parts(trace, *trace.index({.most_open = 4096, .commit_each = 1}), pauses, 100, 23);
}

TEST(pauses_of_a_range, are_collections_where_no_stop_is_told) {
  PausedTrace trace(some_streams(20'000, 30));
  const auto pauses = trace.pause_at_random(kCollections, 50, 3000, 31);
  expect_parts(trace, *trace.index({.commit_each = 1}), pauses, 100, 32);
}

TEST(pauses_of_a_range, are_the_same_with_several_encoders_and_little_memory_for_sums) {
  PausedTrace trace(some_streams(40'000, 40));
  const auto pauses = trace.pause_at_random(kStops, 300, 1500, 41);
  const auto index =
      trace.index({.encoders = 3, .most_open = 4096, .commit_each = 1, .most_sums = 16 * 1024});
  expect_parts(trace, *index, pauses, 100, 42);
}

// Nobody knows what is told later.
TEST(pauses_of_a_range, are_not_known_before_the_end) {
  event::Batch batch;
  const auto slot = batch.thread_slot(1);
  batch.add_plain(10, slot, 5, event::Kind::Enter);
  batch.add(12, slot, base::kNoId, event::Gc{.phase = event::GcPhase::start});
  batch.add(15, slot, base::kNoId, event::Gc{.phase = event::GcPhase::end});
  batch.add_plain(20, slot, 5, event::Kind::Leave);
  auto writer = IndexWriter::begin(*base::FrameFile::in_memory(), {});
  ASSERT_TRUE(writer);
  Builder builder(*writer, {.commit_each = 0});
  batch.offset = 1;
  ASSERT_TRUE(builder.consume(batch));
  const auto paths = [&] {
    auto view = IndexView::open(*base::Image::map(writer->descriptor(), writer->size()));
    const auto frames = IndexFrames::open(std::move(*view));
    return *range_sums(**frames, {});
  };
  const RangeSums early = paths();
  EXPECT_FALSE(early.pauses_known());
  ASSERT_EQ(early.paths().size(), 1U);
  EXPECT_EQ(early.paths()[0].paused, 0U);
  ASSERT_TRUE(builder.finish({}, IndexState::complete, {.format = "test 1"}));
  const RangeSums late = paths();
  EXPECT_TRUE(late.pauses_known());
  EXPECT_EQ(late.paths()[0].self, 10U);
  EXPECT_EQ(late.paths()[0].paused, 3U);
}

}  // namespace
}  // namespace polytrace::store::calls
