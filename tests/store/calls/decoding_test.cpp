// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "store/calls/memory_index.hpp"
#include "store/read/block_events.hpp"

namespace polytrace::store::calls {
namespace {

// The calls of a stream, as they came out of an index again.
Stream decoded(const MemoryIndex& index, std::uint32_t thread) {
  Stream all;
  for (std::uint32_t place = 0; place < index.blocks(thread).size(); ++place) {
    const auto block = index.block(thread, place);
    EXPECT_TRUE(block.has_value()) << (block ? "" : base::to_text(block.error()));
    if (!block) return all;
    BlockEvents events(**block, index.blocks(thread)[place].number, index.paths());
    std::uint64_t count = 0;
    for (CallEvent event{}; events.next(event); ++count) {
      constexpr std::array kKinds{event::Kind::Enter, event::Kind::Leave, event::Kind::Unwind};
      all.push_back({event.time, index.id(event.method),
                     kKinds[static_cast<std::size_t>(event.what)], event.has_details ? 1U : 0U});
    }
    EXPECT_EQ(count, (*block)->source_events());
    EXPECT_EQ(count, index.written(thread)[place].block.events);
  }
  return all;
}

void expect_whole(const Stream& stream, const MemoryIndex& index, std::uint32_t thread) {
  const Stream read = decoded(index, thread);
  std::size_t at = 0;
  for (const Told& told : stream) {
    if (!told.is_call()) continue;
    ASSERT_LT(at, read.size());
    ASSERT_EQ(read[at].time, told.time) << at;
    ASSERT_EQ(read[at].kind, told.kind) << at;
    ASSERT_EQ(read[at].id, told.id) << at;
    ASSERT_EQ(read[at].ticket != 0, told.ticket != 0) << at;
    ++at;
  }
  EXPECT_EQ(at, read.size());
}

void expect_whole(const StreamShape& shape, unsigned commits, unsigned seed,
                  std::uint32_t most_paths = PathTable::kMostPaths) {
  const std::vector<Stream> streams{random_stream(shape, seed), random_stream(shape, seed + 1),
                                    random_stream(shape, seed + 2)};
  const MemoryIndex index(streams, commits, most_paths);
  for (std::uint32_t thread = 0; thread < streams.size(); ++thread)
    expect_whole(streams[thread], index, thread);
}

TEST(blocks_of_calls, give_back_calls_that_nest) { expect_whole({.events = 40'000}, 0, 1); }

TEST(blocks_of_calls, give_back_whatever_a_source_told) {
  for (unsigned seed = 10; seed < 40; ++seed)
    expect_whole({.events = 3000,
                  .methods = 5 + seed,
                  .depth = 2 + seed * 3,
                  .irregular = 30,
                  .late = 20,
                  .tickets = 200,
                  .waits = 20,
                  .unwinds = 50,
                  .long_steps = 5},
                 seed % 2 == 0 ? 20 : 0, seed);
}

TEST(blocks_of_calls, give_back_everything_though_paths_are_merged) {
  expect_whole({.events = 5000, .methods = 50, .irregular = 30}, 10, 50, 40);
}

TEST(blocks_of_calls, hold_calls_that_are_ten_thousand_deep) {
  constexpr base::Id kDepth = 10'000;
  Stream stream;
  base::Time now = 0;
  for (int round = 0; round < 3; ++round) {
    for (base::Id id = 0; id < kDepth; ++id)
      stream.push_back({now += 3, 1 + id % 97, event::Kind::Enter});
    for (base::Id id = kDepth; id-- > 0;)
      stream.push_back({now += 2, 1 + id % 97, event::Kind::Leave});
  }
  const MemoryIndex index({stream});
  EXPECT_GT(index.blocks(0).size(), 3U);
  expect_whole(stream, index, 0);
  EXPECT_EQ(index.shared().account.cut, 0U);
}

// One leave that ends more calls than a block holds events.
TEST(blocks_of_calls, spread_the_leaves_that_one_closes_over_blocks) {
  constexpr int kDepth = 50'000;
  Stream stream{{5, 1, event::Kind::Enter}};
  for (int i = 0; i < kDepth; ++i) stream.push_back({6 + i, 2, event::Kind::Enter});
  stream.push_back({70'000, 1, event::Kind::Leave});
  stream.push_back({70'001, 3, event::Kind::Enter});
  stream.push_back({70'002, 3, event::Kind::Leave});
  const MemoryIndex index({stream});
  expect_whole(stream, index, 0);
  EXPECT_EQ(index.shared().account.cut, static_cast<std::uint64_t>(kDepth));
  EXPECT_EQ(index.shared().account.open, 0U);
}

TEST(blocks_of_calls, hold_threads_that_leave_what_they_never_entered) {
  Stream stream;
  for (int i = 0; i < 40'000; ++i) stream.push_back({i, 4, event::Kind::Leave});
  const MemoryIndex index({stream});
  expect_whole(stream, index, 0);
  EXPECT_EQ(index.shared().account.ignored, 40'000U);
}

TEST(blocks_of_calls, keep_the_ends_of_calls_that_outlive_their_block) {
  const Stream stream = random_stream({.events = 5000, .irregular = 20, .unwinds = 100}, 3);
  const MemoryIndex index({stream}, 20);
  const TrueThread truth = truth_of(stream);
  std::map<SliceId, CallEnd> ends;
  for (const CallEnd& end : index.ends()) EXPECT_TRUE(ends.emplace(end.call, end).second);
  std::size_t number = 0;
  std::size_t later = 0;
  std::size_t changes = 0;
  for (const MemoryIndex::Written& written : index.written(0)) {
    EXPECT_EQ(written.block.head.entered, number);
    changes += written.block.head.events;
    for (std::uint32_t call = 0; call < written.block.head.enters; ++call, ++number) {
      const TrueCall& is = truth.calls[number];
      const auto end = ends.find(slice_id(written.block.number, call));
      ASSERT_EQ(end == ends.end(), is.ends < changes);
      if (end == ends.end()) continue;
      ++later;
      EXPECT_EQ(end->second.duration, static_cast<std::uint64_t>(is.end - is.start));
      EXPECT_EQ(end->second.how == EndKind::end_of_trace, is.ends == truth.changes.size());
    }
  }
  EXPECT_EQ(later, ends.size());
  EXPECT_EQ(number, truth.calls.size());
  EXPECT_GT(later, 100U);
}

TEST(path_table, gives_each_stack_one_path_and_parents_smaller_ones) {
  PathTable table;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known;
  std::mt19937 random(5);
  std::vector<std::uint32_t> all{0};
  for (int i = 0; i < 100'000; ++i) {
    const std::uint32_t parent = all[random() % all.size()];
    const auto method = static_cast<std::uint32_t>(random() % 7);
    const std::uint32_t path = table.child(parent, method);
    const auto [at, fresh] = known.try_emplace({parent, method}, path);
    ASSERT_EQ(at->second, path);
    if (fresh) all.push_back(path);
    ASSERT_LT(table.parent(path), path);
    ASSERT_EQ(table.parent(path), parent);
    ASSERT_EQ(table.method(path), method);
  }
  EXPECT_EQ(table.size(), all.size());
  EXPECT_FALSE(table.has_merged());
}

TEST(path_table, has_one_more_path_for_each_method_when_it_is_full) {
  PathTable table(10);
  std::uint32_t path = 0;
  for (std::uint32_t method = 0; method < 9; ++method) path = table.child(path, method);
  EXPECT_FALSE(table.has_merged());
  const std::uint32_t merged = table.child(path, 20);
  EXPECT_TRUE(table.has_merged());
  EXPECT_EQ(table.child(merged, 20), merged);
  EXPECT_EQ(table.child(0, 20), merged);
  EXPECT_EQ(table.child(3, 20), merged);
  EXPECT_NE(table.child(3, 21), merged);
  EXPECT_EQ(table.method(merged), 20U);
  EXPECT_EQ(table.method(table.parent(merged)), kNoMethod);
  EXPECT_EQ(table.child(0, 0), 1U);
  EXPECT_EQ(table.size(), 13U);
}

}  // namespace
}  // namespace polytrace::store::calls
