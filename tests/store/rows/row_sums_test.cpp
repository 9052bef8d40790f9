// SPDX-License-Identifier: Apache-2.0
// Sums of allocations, samples and throws in any stretch of time are what adding up row by row
// gives.
#include "store/ask/row_sums.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "store/build/rows/row_sums.hpp"
#include "store/rows/row_tables.hpp"

namespace polytrace::store {
namespace {

using base::Time;
using event::Batch;
using event::Kind;

constexpr u32 kThreads = 5;
constexpr u32 kSegmentRows = 40;

struct Counted {
  SumEntry entry;
  Time time;
};

// An index of one kind of rows, in memory.
class TestFrames final : public RowFrames {
 public:
  explicit TestFrames(SumKind kind) : levels_(kind) {}

  void add(const RowSegment& segment) {
    levels_.add(segment.columns(), segment.first_row(), [&](RowSumLevels::Frame frame) {
      entries_.push_back(frame.entries);
      sums_.push_back(
          {frame.level, frame.first_row, frame.least, frame.greatest, payloads_.size()});
      payloads_.push_back(std::move(frame.payload));
    });
  }
  void keep(u64 first_row, std::string payload) { segments_[first_row] = std::move(payload); }
  void sort() {
    std::ranges::sort(sums_, [](const Sums& a, const Sums& b) {
      return a.first_row != b.first_row ? a.first_row < b.first_row : a.level > b.level;
    });
  }

  std::span<const Sums> sums(SumKind) const override { return sums_; }
  base::result<base::Bytes> payload(const Sums& sums) const override {
    return bytes_of(payloads_[sums.frame]);
  }
  base::result<base::Bytes> segment(Kind, u64 first_row) const override {
    ++decoded;
    return bytes_of(segments_.at(first_row));
  }
  u32 entries(const Sums& sums) const { return entries_[sums.frame]; }

  mutable std::size_t decoded = 0;

 private:
  RowSumLevels levels_;
  std::vector<Sums> sums_;
  std::vector<std::string> payloads_;
  std::vector<u32> entries_;
  std::map<u64, std::string> segments_;
};

// Rows of threads that each tell theirs in order, but in bursts behind one another. What they add
// is written down beside, by the rules that reports go by.
class World {
 public:
  World(SumKind kind, unsigned seed, unsigned keys)
      : frames(kind),
        kind_(kind),
        engine_(seed),
        keys_(keys),
        encoder_(rows_of(kind), tables_, &tables_) {}

  void make(unsigned segments) {
    for (unsigned segment = 0; segment < segments; ++segment) {
      while (encoder_.rows() < kSegmentRows) add_burst();
      RowSegment taken = encoder_.take(rows_);
      frames.add(taken);
      std::string payload;
      taken.encode(payload);
      frames.keep(rows_, std::move(payload));
      rows_ += taken.rows();
    }
    frames.sort();
  }
  std::vector<SumEntry> expected(const Range& range) const {
    std::map<SumKey, std::array<u64, 2>> sums;
    for (const Counted& row : all) {
      const bool wanted =
          range.threads.empty() ||
          std::ranges::find(range.threads, row.entry.key.thread) != range.threads.end();
      if (!wanted || row.time < range.from || row.time >= range.to) continue;
      auto& sum = sums[row.entry.key];
      for (std::size_t i = 0; i < 2; ++i) sum[i] += row.entry.measures[i];
    }
    std::vector<SumEntry> entries;
    for (const auto& [key, measures] : sums) entries.push_back({key, measures});
    return entries;
  }
  Time latest() const { return std::ranges::max(times_); }

  TestFrames frames;
  std::vector<Counted> all;

 private:
  u64 below(u64 count) { return engine_() % count; }
  void add_burst() {
    const auto thread = static_cast<u32>(below(kThreads));
    for (u64 left = below(30) + 1; left > 0 && !encoder_.full(); --left) {
      times_[thread] += static_cast<Time>(below(50));
      add_row(thread, times_[thread]);
    }
  }
  void add_row(u32 thread, Time time) {
    Batch batch;
    const auto slot = batch.thread_slot(thread);
    batch.frames = {below(keys_), 9, 9, 9};
    event::Stack stack;
    if (below(3) != 0) stack = {{0, 1}};   // a path
    if (below(10) == 0) stack = {{0, 4}};  // more frames than a path has here
    Derived derived;
    const bool is_path = stack.present() && stack.count == 1;
    if (!is_path && below(5) != 0) derived.path = below(keys_);
    SumEntry sum;
    sum.key.path = static_cast<u32>(is_path ? tables_.path(batch.list(stack)).number
                                    : derived.path == Derived::kNone ? 0
                                                                     : derived.path);
    sum.key.thread = thread;
    const auto subject = static_cast<u32>(below(7));
    if (kind_ == SumKind::allocations) {
      const u64 size = below(1000);
      const auto weight = static_cast<u32>(below(4));
      sum.key.class_index = subject;
      sum.measures = {std::max(weight, 1U), std::max(weight, 1U) * size};
      batch.add(time, slot, subject, event::Alloc{.size = size, .stack = stack, .weight = weight});
    } else if (kind_ == SumKind::samples) {
      const u64 weight = below(3);
      const bool passed = below(6) != 0;
      sum.key.thread = subject;
      sum.measures = {1, std::max<u64>(weight, 1)};
      const auto mode = passed ? event::SampleMode::cpu : event::SampleMode::change;
      batch.add(time, slot, subject, event::Sample{.mode = mode, .weight = weight, .stack = stack});
      if (!passed) sum.measures = {};
    } else {
      if (below(4) != 0) sum.key.class_index = static_cast<u32>(derived.class_index = below(9));
      sum.measures = {1, 0};
      batch.add(time, slot, 77, event::Throw{.stack = stack});
    }
    encoder_.add(batch, batch.events[0], thread, subject, derived);
    if (sum.measures[0] != 0) all.push_back({sum, time});
  }

  SumKind kind_;
  std::mt19937_64 engine_;
  unsigned keys_;
  TestTables tables_;
  RowEncoder encoder_;
  std::array<Time, kThreads> times_{-4000, 0, 10, 3000, 1};
  u64 rows_ = 0;
};

void expect_equal(const std::vector<SumEntry>& got, const std::vector<SumEntry>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_TRUE(got[i].key == expected[i].key) << i;
    ASSERT_EQ(got[i].measures, expected[i].measures) << i;
  }
}

class row_sums_of : public testing::TestWithParam<SumKind> {};

TEST_P(row_sums_of, any_stretch_and_threads_are_those_of_its_rows) {
  for (const unsigned keys : {2U, 1000U}) {
    World world(GetParam(), 5 + keys, keys);
    world.make(300);
    std::mt19937_64 engine(9);
    const auto span = static_cast<u64>(world.latest() + 6000);
    for (unsigned i = 0; i < 150; ++i) {
      Range range;
      if (i != 0) {
        range.from = static_cast<Time>(engine() % span) - 5000;
        range.to = range.from + static_cast<Time>(engine() % span / (1 + i % 20));
      }
      for (u32 thread = 0; thread < 7; ++thread)
        if (i % 3 == 0 && engine() % 2 == 0) range.threads.push_back(6 - thread);
      world.frames.decoded = 0;
      const auto got = row_sums(world.frames, GetParam(), range);
      ASSERT_TRUE(got);
      expect_equal(*got, world.expected(range));
      // A thread's rows are in order of time: but for samples, which the thread does not tell.
      const bool in_order = GetParam() != SumKind::samples;
      EXPECT_LE(world.frames.decoded, in_order ? 2 * kThreads : 300);
    }
  }
}

TEST_P(row_sums_of, the_whole_trace_decodes_no_row) {
  World world(GetParam(), 1, 3);
  world.make(100);
  const auto got = row_sums(world.frames, GetParam(), Range{});
  expect_equal(*got, world.expected(Range{}));
  EXPECT_EQ(world.frames.decoded, 0U);
}

TEST_P(row_sums_of, levels_that_do_not_shrink_are_left_out) {
  for (const unsigned keys : {2U, 40U, 1000U, 100'000U}) {
    World world(GetParam(), keys, keys);
    world.make(16 * 16 + 20);
    u64 lowest = 0;
    u64 higher = 0;
    std::map<unsigned, unsigned> frames;
    for (const RowFrames::Sums& sums : world.frames.sums(GetParam())) {
      ++frames[sums.level];
      (sums.level == 0 ? lowest : higher) += world.frames.entries(sums);
    }
    EXPECT_EQ(frames[0], 16U * 16 + 20);
    EXPECT_LE(higher, 3 * lowest);
    if (keys > 2 && keys < 100'000) continue;
    EXPECT_EQ(frames[1], keys == 2 ? 17U : 0U);
    EXPECT_EQ(frames[2], keys == 2 ? 1U : 0U);
  }
}

TEST_P(row_sums_of, a_damaged_frame_is_an_error_or_an_answer) {
  World world(GetParam(), 4, 30);
  world.make(16);
  for (const RowFrames::Sums& sums : world.frames.sums(GetParam())) {
    const auto bytes = *world.frames.payload(sums);
    std::string payload(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    ASSERT_TRUE(read_row_sums(GetParam(), bytes, sums.least));
    for (std::size_t size = 0; size < payload.size(); ++size)
      ASSERT_FALSE(read_row_sums(GetParam(), bytes.first(size), sums.least));
    for (char& byte : payload) {
      const auto turned = static_cast<char>(1 << (&byte - payload.data()) % 8);
      byte = static_cast<char>(byte ^ turned);
      const auto read = read_row_sums(GetParam(), bytes_of(payload), sums.least);
      u64 entries = 0;
      for (const SumThread& thread : read ? read->threads : std::vector<SumThread>())
        entries += thread.entries;
      EXPECT_EQ(read ? read->entries.size() : 0, entries);
      byte = static_cast<char>(byte ^ turned);
    }
  }
}

TEST_P(row_sums_of, nothing_is_nothing) {
  TestFrames frames(GetParam());
  const auto got = row_sums(frames, GetParam(), Range{});
  ASSERT_TRUE(got);
  EXPECT_TRUE(got->empty());
}

TEST_P(row_sums_of, a_stopped_question_ends) {
  World world(GetParam(), 4, 30);
  world.make(2);
  const std::atomic<bool> stop = true;
  Range range;
  range.stop = &stop;
  EXPECT_FALSE(row_sums(world.frames, GetParam(), range));
}

INSTANTIATE_TEST_SUITE_P(all, row_sums_of, testing::ValuesIn(kSumKinds), [](const auto& tested) {
  return std::string(event::describe(rows_of(tested.param)).name);
});

}  // namespace
}  // namespace polytrace::store
