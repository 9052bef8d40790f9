// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "store/ask/calls/range_sums.hpp"
#include "store/calls/memory_index.hpp"
#include "store/calls/time_spans.hpp"

namespace polytrace::store::calls {
namespace {

struct Figures {
  std::uint64_t calls = 0;
  std::uint64_t self = 0;
  std::uint64_t blocked = 0;
  std::uint64_t waiting = 0;
  bool operator==(const Figures&) const = default;
};
void PrintTo(const Figures& figures, std::ostream* out) {
  *out << figures.calls << " calls, self " << figures.self << ", blocked " << figures.blocked
       << ", waiting " << figures.waiting;
}
struct MethodFigures {
  std::uint64_t calls = 0;
  std::uint64_t total = 0;
  std::uint64_t elapsed = 0;
  std::uint64_t self = 0;
  bool operator==(const MethodFigures&) const = default;
};
void PrintTo(const MethodFigures& figures, std::ostream* out) {
  *out << figures.calls << " calls, total " << figures.total << ", elapsed " << figures.elapsed
       << ", self " << figures.self;
}
using ByStack = std::map<std::vector<base::Id>, Figures>;
using ByMethod = std::map<base::Id, MethodFigures>;
void add_true_paths(const TrueThread& thread, Span range, ByStack& into) {
  const auto waiting = without(thread.waiting, thread.locked);
  for (std::size_t i = 0; i < thread.changes.size(); ++i) {
    const auto& change = thread.changes[i];
    const base::Time until =
        i + 1 < thread.changes.size() ? thread.changes[i + 1].time : thread.last;
    if (change.call == TrueThread::kNone) continue;
    const Span part{std::max(change.time, range.first), std::min(until, range.second)};
    if (part.first >= part.second) continue;
    Figures& figures = into[thread.calls[change.call].stack];
    figures.self += base::elapsed(part.first, part.second);
    figures.blocked += common(part, thread.locked);
    figures.waiting += common(part, waiting);
  }
  for (const TrueCall& call : thread.calls)
    if (call.start < range.second && call.end >= range.first) ++into[call.stack].calls;
}

void add_true_methods(const TrueThread& thread, Span range, ByMethod& into) {
  for (const TrueCall& call : thread.calls) {
    if (call.start >= range.second || call.end < range.first) continue;
    MethodFigures& figures = into[call.stack.back()];
    const std::uint64_t time = common({call.start, call.end}, range);
    ++figures.calls;
    figures.total += time;
    if (!call.recursive) figures.elapsed += time;
  }
  ByStack paths;
  add_true_paths(thread, range, paths);
  for (const auto& [stack, figures] : paths) into[stack.back()].self += figures.self;
}

ByStack told_paths(const MemoryIndex& index, const RangeSums& sums) {
  ByStack told;
  for (const PathSum& sum : sums.paths())
    told[index.stack(sum.path)] = {sum.calls, sum.self, sum.blocked, sum.waiting};
  return told;
}

ByMethod told_methods(const MemoryIndex& index, const RangeSums& sums) {
  ByMethod told;
  for (const MethodSum& sum : sums.methods(index.paths()))
    told[index.id(sum.method)] = {sum.calls, sum.total, sum.elapsed, sum.self};
  return told;
}

std::vector<TrueThread> truths(const std::vector<Stream>& streams) {
  std::vector<TrueThread> all;
  for (const Stream& stream : streams) all.push_back(truth_of(stream));
  return all;
}

// Random stretches, and such that begin and end with events.
Range random_range(const std::vector<TrueThread>& threads, std::mt19937_64& random) {
  const auto time = [&] {
    const TrueThread& thread = threads[random() % threads.size()];
    if (random() % 2 == 0) return thread.changes[random() % thread.changes.size()].time;
    const base::Time first = thread.changes.front().time - 10;
    return first +
           static_cast<base::Time>(random() % static_cast<std::uint64_t>(thread.last - first + 20));
  };
  Range range{time(), time()};
  if (range.from > range.to) std::swap(range.from, range.to);
  if (random() % 10 == 0) range.from = Range{}.from;
  if (random() % 10 == 0) range.to = Range{}.to;
  for (std::uint32_t thread = 0; thread < threads.size(); ++thread)
    if (random() % 2 == 0) range.threads.push_back(thread);
  return range;
}

bool has(const Range& range, std::uint32_t thread) {
  return range.threads.empty() || std::ranges::find(range.threads, thread) != range.threads.end();
}

void expect_ranges(const std::vector<Stream>& streams, const MemoryIndex& index, int ranges,
                   unsigned seed) {
  const auto threads = truths(streams);
  std::mt19937_64 random(seed);
  for (int i = 0; i < tried(ranges); ++i) {
    const Range range = random_range(threads, random);
    const auto sums = range_sums(index, range);
    ASSERT_TRUE(sums.has_value());
    ByStack paths;
    ByMethod methods;
    for (std::uint32_t thread = 0; thread < threads.size(); ++thread) {
      if (!has(range, thread)) continue;
      add_true_paths(threads[thread], {range.from, range.to}, paths);
      add_true_methods(threads[thread], {range.from, range.to}, methods);
    }
    ASSERT_EQ(told_methods(index, *sums), methods) << range.from << " to " << range.to;
    ASSERT_EQ(told_paths(index, *sums), paths) << range.from << " to " << range.to;
  }
}

std::vector<Stream> some_streams(const StreamShape& shape, unsigned seed) {
  return {random_stream(shape, seed), random_stream(shape, seed + 1),
          random_stream(shape, seed + 2)};
}

TEST(figures_of_a_range, are_those_of_a_walk_over_all_events) {
  const auto streams = some_streams({.events = 5000,
                                     .methods = 12,
                                     .irregular = 20,
                                     .late = 10,
                                     .tickets = 100,
                                     .waits = 50,
                                     .unwinds = 20,
                                     .long_steps = 1},
                                    1);
  const MemoryIndex index(streams, 30);
  EXPECT_GT(index.frames().size(), 10U);
  expect_ranges(streams, index, 200, 2);
  EXPECT_GT(index.sums_read, 100U);
}

TEST(figures_of_a_range, are_exact_in_full_blocks) {
  const auto streams = some_streams({.events = 50'000, .depth = 12, .waits = 3}, 10);
  const MemoryIndex index(streams);
  expect_ranges(streams, index, 30, 3);
}

TEST(figures_of_a_range, are_exact_where_many_events_share_a_time) {
  const auto streams =
      some_streams({.events = 3000, .depth = 8, .irregular = 20, .waits = 50, .step = 1}, 20);
  const MemoryIndex index(streams, 100);
  expect_ranges(streams, index, 200, 4);
}

TEST(figures_of_a_range, read_sums_instead_of_the_blocks_in_between) {
  const std::vector<Stream> streams{random_stream({.events = 20'000, .depth = 6}, 30)};
  const MemoryIndex index(streams, 50);
  ASSERT_GT(index.blocks(0).size(), 600U);
  index.blocks_read = index.payloads_read = index.sums_read = 0;
  const TrueThread truth = truth_of(streams[0]);
  const base::Time middle = truth.changes[truth.changes.size() / 2].time;
  const auto sums = range_sums(index, {truth.changes[100].time + 1, middle});
  ASSERT_TRUE(sums.has_value());
  EXPECT_LE(index.blocks_read, 3U);
  EXPECT_LE(index.payloads_read + index.sums_read, 64U);
}

TEST(figures_of_a_range, are_the_same_with_little_memory_for_sums) {
  const auto streams = some_streams({.events = 8000, .methods = 12, .depth = 8}, 60);
  constexpr std::size_t kMost = 32 * 1024;
  const MemoryIndex free(streams, 60), bounded(streams, 60, PathTable::kMostPaths, kMost);
  EXPECT_GT(free.sum_bytes, 2 * kMost);
  EXPECT_LE(bounded.sum_bytes, kMost);
  std::size_t cut = 0;
  for (const CallSums::Frame& frame : bounded.frames()) cut += frame.blocks % kSumsFan != 0;
  EXPECT_GT(cut, 10U);
  expect_ranges(streams, bounded, 200, 7);
  EXPECT_GT(bounded.sums_read, 100U);
}

// Merged paths keep what calls and self there was by method, in whatever path.
TEST(figures_of_a_range, keep_calls_and_self_by_method_though_paths_are_merged) {
  const auto streams = some_streams({.events = 4000, .methods = 40, .irregular = 20}, 40);
  const MemoryIndex index(streams, 20, 30);
  const auto threads = truths(streams);
  std::mt19937_64 random(5);
  for (int i = 0; i < 100; ++i) {
    const Range range = random_range(threads, random);
    const auto sums = range_sums(index, range);
    ASSERT_TRUE(sums.has_value());
    ByMethod methods;
    for (std::uint32_t thread = 0; thread < threads.size(); ++thread)
      if (has(range, thread)) add_true_methods(threads[thread], {range.from, range.to}, methods);
    ByMethod told = told_methods(index, *sums);
    for (auto* const figures : {&methods, &told})
      for (auto& [id, method] : *figures) method.total = method.elapsed = 0;
    ASSERT_EQ(told, methods);
  }
}

TEST(figures_of_a_range, count_each_level_of_a_recursion_once_as_elapsed) {
  Stream stream;
  base::Time now = 100;
  for (const base::Id id : std::vector<base::Id>{1, 2, 1, 2, 1, 3})
    stream.push_back({now += 10, id, event::Kind::Enter});
  for (const base::Id id : std::vector<base::Id>{3, 1, 2, 1, 2, 1})
    stream.push_back({now += 10, id, event::Kind::Leave});
  const MemoryIndex index({stream});
  expect_ranges({stream}, index, 100, 6);
  const auto sums = range_sums(index, {});
  ASSERT_TRUE(sums.has_value());
  const ByMethod told = told_methods(index, *sums);
  EXPECT_EQ(told.at(1), (MethodFigures{3, 110 + 70 + 30, 110, 20 + 20 + 20}));
  EXPECT_EQ(told.at(2), (MethodFigures{2, 90 + 50, 90, 20 + 20}));
  EXPECT_EQ(told.at(3), (MethodFigures{1, 10, 10, 10}));
}

TEST(figures_of_a_range, of_the_tree_have_the_whole_at_its_root) {
  const auto streams = some_streams({.events = 3000}, 50);
  const MemoryIndex index(streams, 20);
  const auto sums = range_sums(index, {});
  ASSERT_TRUE(sums.has_value());
  std::uint64_t self = 0;
  for (const PathSum& sum : sums->paths()) self += sum.self;
  const auto tree = sums->tree(index.paths());
  EXPECT_EQ(tree.front().own.path, kEmptyPath);
  EXPECT_EQ(tree.front().total, self);
}

// A thread waits until it is told to have what it waits for (docs/states.md).
TEST(figures_of_a_range, count_a_wait_that_is_told_to_begin_again_from_its_beginning) {
  const auto contended = [](base::Time time, event::MonitorStage stage) {
    return Told{time, 0, event::Kind::Monitor, 0, {}, stage};
  };
  const Stream stream{{0, 1, event::Kind::Enter},  contended(10, event::MonitorStage::contended),
                      {20, 2, event::Kind::Enter}, contended(30, event::MonitorStage::contended),
                      {35, 2, event::Kind::Leave}, contended(50, event::MonitorStage::acquired),
                      {100, 1, event::Kind::Leave}};
  const MemoryIndex index({stream});
  const auto sums = range_sums(index, {});
  ASSERT_TRUE(sums.has_value());
  const ByStack told = told_paths(index, *sums);
  EXPECT_EQ(told.at({1}), (Figures{1, 85, 25, 0}));
  EXPECT_EQ(told.at({1, 2}), (Figures{1, 15, 15, 0}));
}

TEST(figures_of_a_range, stop_when_they_are_told_to) {
  const std::atomic<bool> stop = true;
  const MemoryIndex index({random_stream({}, 1)});
  EXPECT_FALSE(range_sums(index, {.stop = &stop}).has_value());
}

}  // namespace
}  // namespace polytrace::store::calls
