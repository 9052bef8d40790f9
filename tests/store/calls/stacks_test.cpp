// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "store/ask/calls/open_calls.hpp"
#include "store/calls/memory_index.hpp"

namespace polytrace::store::calls {
namespace {

// Calls open after all changes with times up to `at`, or before it: outermost first.
std::vector<std::size_t> true_stack(const TrueThread& thread, base::Time at, bool inclusive) {
  if (at > thread.last) return {};
  std::size_t done = 0;
  while (done < thread.changes.size() &&
         (thread.changes[done].time < at || (inclusive && thread.changes[done].time == at)))
    ++done;
  std::vector<std::size_t> stack;
  if (done == 0) return stack;
  for (std::size_t call = thread.changes[done - 1].call; call != TrueThread::kNone;
       call = thread.callers[call])
    stack.push_back(call);
  std::ranges::reverse(stack);
  return stack;
}

void expect_stack(const MemoryIndex& index, std::uint32_t thread, const TrueThread& truth,
                  base::Time at, bool inclusive) {
  const auto found =
      inclusive ? open_calls(index, thread, at) : open_calls_before(index, thread, at);
  ASSERT_TRUE(found.has_value());
  const auto stack = true_stack(truth, at, inclusive);
  ASSERT_EQ(found->size(), stack.size()) << "at " << at;
  for (std::size_t i = 0; i < stack.size(); ++i) {
    const TrueCall& call = truth.calls[stack[i]];
    ASSERT_EQ((*found)[i].start, call.start) << "at " << at << " depth " << i;
    ASSERT_EQ(index.id((*found)[i].method), call.stack.back());
    if (!index.paths().is_merged((*found)[i].path)) {
      ASSERT_EQ(index.stack((*found)[i].path), call.stack);
    }
    // Slice ids: the call's number within its thread.
    const auto place = index.find(block_of((*found)[i].call));
    ASSERT_TRUE(place.has_value());
    ASSERT_EQ(place->thread, thread);
    const auto& block = index.written(thread)[place->place].block;
    ASSERT_EQ(block.head.entered + call_of((*found)[i].call), stack[i]);
  }
}

void expect_stacks(const std::vector<Stream>& streams, const MemoryIndex& index, unsigned seed) {
  std::mt19937_64 random(seed);
  for (std::uint32_t thread = 0; thread < streams.size(); ++thread) {
    const TrueThread truth = truth_of(streams[thread]);
    const base::Time first = truth.changes.front().time;
    const auto span = static_cast<std::uint64_t>(truth.last - first) + 20;
    for (int i = 0; i < 100; ++i) {
      const base::Time at = first - 10 + static_cast<base::Time>(random() % span);
      expect_stack(index, thread, truth, at, i % 2 == 0);
      const auto& change = truth.changes[random() % truth.changes.size()];
      expect_stack(index, thread, truth, change.time, i % 2 == 0);
    }
    expect_stack(index, thread, truth, truth.last, true);
    expect_stack(index, thread, truth, truth.last, false);
    expect_stack(index, thread, truth, truth.last + 1, true);
  }
}

TEST(open_calls_of_an_index, are_those_of_the_moment_with_their_true_starts) {
  for (unsigned seed = 1; seed < 16; ++seed) {
    const StreamShape shape{.events = 2000,
                            .methods = 10,
                            .depth = 5 * seed,
                            .irregular = seed % 3 * 10,
                            .late = seed % 2 * 20,
                            .tickets = seed % 2 * 300};
    const std::vector<Stream> streams{random_stream(shape, seed), random_stream(shape, 99 + seed)};
    expect_stacks(streams, MemoryIndex(streams, 10 + seed), seed);
  }
}

TEST(open_calls_of_an_index, are_found_in_blocks_that_are_full) {
  const std::vector<Stream> streams{random_stream({.events = 60'000, .depth = 200}, 4)};
  const MemoryIndex index(streams);
  ASSERT_GE(index.blocks(0).size(), 4U);
  expect_stacks(streams, index, 5);
}

TEST(open_calls_of_an_index, are_found_below_merged_paths) {
  const std::vector<Stream> streams{random_stream({.events = 3000, .methods = 50}, 6)};
  const MemoryIndex index(streams, 30, 20);
  expect_stacks(streams, index, 7);
}

TEST(open_calls_of_an_index, are_found_three_thousand_deep) {
  constexpr int kDepth = 3000;
  Stream stream;
  for (int i = 0; i < kDepth; ++i)
    stream.push_back({10 * i, 1 + static_cast<base::Id>(i % 5), event::Kind::Enter});
  for (int i = kDepth; i-- > 3;)
    stream.push_back({60'000 - 10 * i, 1 + static_cast<base::Id>(i % 5), event::Kind::Leave});
  const MemoryIndex index({stream}, 5);
  EXPECT_GT(index.blocks(0).size(), 10U);
  const TrueThread truth = truth_of(stream);
  for (const base::Time at : {0, 29'990, 29'991, 30'000, 45'000, 59'960, 59'970, 59'999})
    expect_stack(index, 0, truth, at, true);
}

}  // namespace
}  // namespace polytrace::store::calls
