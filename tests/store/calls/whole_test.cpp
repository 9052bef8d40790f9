// SPDX-License-Identifier: Apache-2.0
// Figures of the whole trace, and durations of any part of it, against calls found one by one.
#include "store/ask/whole.hpp"

#include <random>

#include <gtest/gtest.h>

#include "store/calls/paused_trace.hpp"

namespace polytrace::store::calls {
namespace {

const StreamShape kShape{.events = 15'000,
                         .methods = 12,
                         .depth = 9,
                         .irregular = 10,
                         .tickets = 20,
                         .waits = 30,
                         .unwinds = 10,
                         .step = 100};

std::vector<Stream> three_streams(unsigned seed) {
  return {random_stream(kShape, seed), random_stream(kShape, seed + 1),
          random_stream(kShape, seed + 2)};
}

struct Lengths {
  std::uint64_t calls = 0, least = 0, most = 0, median = 0;
  bool operator==(const Lengths&) const = default;
};
void PrintTo(const Lengths& lengths, std::ostream* out) {
  *out << lengths.calls << " calls, " << lengths.least << " to " << lengths.most << ", median "
       << lengths.median;
}
using LengthsByMethod = std::map<base::Id, Lengths>;

// Of what is left of a call: its time in the range without the spans.
LengthsByMethod truth(const std::vector<TrueThread>& threads, const Range& range,
                      const std::vector<std::vector<Span>>& left_out) {
  std::map<base::Id, std::vector<std::uint64_t>> all;
  for (std::uint32_t i = 0; i < threads.size(); ++i) {
    if (!range.threads.empty() && std::ranges::find(range.threads, i) == range.threads.end())
      continue;
    for (const TrueCall& call : threads[i].calls) {
      if (call.start >= range.to || call.end < range.from) continue;
      const Span part{std::max(call.start, range.from), std::min(call.end, range.to)};
      const std::uint64_t out = part.first < part.second ? common(part, left_out[i]) : 0;
      all[call.stack.back()].push_back(base::elapsed(part.first, part.second) - out);
    }
  }
  LengthsByMethod lengths;
  for (auto& [id, times] : all) {
    base::DurationSketch sketch;
    for (const std::uint64_t time : times) sketch.add(time);
    const auto [least, most] = std::ranges::minmax(times);
    lengths[id] = {times.size(), least, most, sketch.quantile(50)};
  }
  return lengths;
}

LengthsByMethod told(const IndexFrames& index, const std::vector<MethodDurations>& durations) {
  LengthsByMethod lengths;
  for (std::uint32_t i = 0; i < durations.size(); ++i)
    if (durations[i].calls != 0)
      lengths[index.method_id(i)] = {durations[i].calls, durations[i].least, durations[i].most,
                                     durations[i].sketch.quantile(50)};
  return lengths;
}

std::vector<Span> joined(std::vector<Span> a, const std::vector<Span>& b) {
  const auto rest = without(b, a);
  a.insert(a.end(), rest.begin(), rest.end());
  std::ranges::sort(a);
  return a;
}

TEST(durations_by_method, are_those_of_the_calls_with_and_without_waits_and_pauses) {
  const auto streams = three_streams(1);
  PausedTrace trace(streams);
  const auto pauses = trace.pause_at_random(kStops, 100, 1500, 2);
  const auto index = trace.index({.most_open = 4096, .commit_each = 1});
  std::vector<TrueThread> threads;
  for (const Stream& stream : streams) threads.push_back(truth_of(stream));
  std::mt19937_64 random(3);
  for (int i = 0; i < 120; ++i) {
    const Range range = trace.random_range(random);
    const LeftOut left_out{random() % 2 == 0, random() % 2 == 0};
    std::vector<std::vector<Span>> spans(3);
    for (std::size_t thread = 0; thread < 3; ++thread) {
      if (left_out.waits) spans[thread] = joined(threads[thread].locked, threads[thread].waiting);
      if (left_out.pauses) spans[thread] = joined(spans[thread], pauses);
    }
    const auto durations = method_durations(*index, range, left_out);
    ASSERT_TRUE(durations) << base::to_text(durations.error());
    ASSERT_EQ(told(*index, *durations), truth(threads, range, spans)) << i;
  }
}

TEST(whole, durations_and_threads_are_those_of_all_calls) {
  const auto streams = three_streams(10);
  const PausedTrace trace(streams);
  for (const unsigned encoders : {0U, 2U}) {
    const auto index = trace.index({.encoders = encoders, .most_open = 4096, .commit_each = 1});
    ASSERT_FALSE(index->method_wholes().empty());
    const auto all = whole(*index);
    ASSERT_TRUE(all);
    std::vector<TrueThread> threads;
    for (const Stream& stream : streams) threads.push_back(truth_of(stream));
    EXPECT_EQ(told(*index, all->durations), truth(threads, {}, {{}, {}, {}}));
    const auto asked = method_durations(*index, {});
    EXPECT_EQ(told(*index, all->durations), told(*index, *asked));
    ASSERT_EQ(all->threads.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      const TrueThread& thread = threads[i];
      std::size_t deepest = 0;
      for (const TrueCall& call : thread.calls) deepest = std::max(deepest, call.stack.size());
      std::uint64_t in_calls = 0;
      for (std::size_t k = 0; k < thread.changes.size(); ++k)
        if (thread.changes[k].call != TrueThread::kNone)
          in_calls += base::elapsed(thread.changes[k].time, k + 1 < thread.changes.size()
                                                                ? thread.changes[k + 1].time
                                                                : thread.last);
      EXPECT_EQ(all->threads[i].calls, thread.calls.size());
      EXPECT_EQ(all->threads[i].deepest, deepest);
      EXPECT_EQ(all->threads[i].in_calls, in_calls);
      EXPECT_EQ(all->threads[i].events, streams[i].size());
      EXPECT_EQ(all->threads[i].last, thread.last);
      EXPECT_EQ(all->threads[i].first, streams[i].front().time);
    }
  }
}

TEST(whole, methods_have_all_calls_and_classes_all_objects) {
  event::Batch batch;
  const auto slot = batch.thread_slot(1);
  batch.add_plain(10, slot, 5, event::Kind::Enter);
  batch.add(11, slot, 7, event::Alloc{.object = 0x100, .size = 24});
  batch.add_plain(12, slot, 5, event::Kind::Enter);
  batch.add(13, slot, 7, event::Alloc{.object = 0x200, .size = 40});
  batch.add(13, slot, 9, event::Alloc{.object = 0x300, .size = 16});
  batch.add_plain(20, slot, 5, event::Kind::Leave);
  batch.add_plain(30, slot, 5, event::Kind::Leave);
  const event::Batch* const all[]{&batch};
  const auto told = whole(*indexes::index_of(all));
  ASSERT_TRUE(told);
  ASSERT_EQ(told->methods.size(), 1U);
  const MethodSum& method = told->methods[0];
  EXPECT_EQ(method.calls, 2U);
  EXPECT_EQ(method.total, 28U);
  EXPECT_EQ(method.elapsed, 20U);
  EXPECT_EQ(method.self, 20U);
  EXPECT_EQ(told->durations.at(method.method).least, 8U);
  EXPECT_EQ(told->durations.at(method.method).most, 20U);
  ASSERT_EQ(told->classes.size(), 2U);
  EXPECT_EQ(told->classes[0].objects + told->classes[1].objects, 3U);
  EXPECT_EQ(told->classes[0].bytes + told->classes[1].bytes, 80U);
  EXPECT_EQ(std::max(told->classes[0].bytes, told->classes[1].bytes), 64U);
}

// Whoever waited is told before the object is: in another thread's stream, or never.
TEST(whole, locks_have_the_class_that_is_told_first_or_later) {
  using Stage = event::MonitorStage;
  event::Batch batch;
  const auto slot = batch.thread_slot(1);
  const auto wait = [&](base::Time time, base::Id object, base::Id class_id = base::kNoId) {
    batch.add(time, slot, object, event::Monitor{.stage = Stage::contended, .class_id = class_id});
  };
  wait(10, 0x100);
  wait(11, 0x200);
  wait(12, 0x300);
  wait(13, 0x400);
  wait(14, 0x400, 9);
  batch.add(20, slot, 7, event::Alloc{.object = 0x100, .size = 24});
  batch.add(21, slot, 9, event::Alloc{.object = 0x500, .size = 24});
  batch.add(22, slot, 0x500, event::Move{.to = 0x200});
  batch.add(23, slot, 7, event::Alloc{.object = 0x600, .size = 24});
  wait(24, 0x600);
  const event::Batch* const all[]{&batch};
  const auto index = indexes::index_of(all);
  const auto class_of = [&](base::Id object) { return index->class_id(index->lock_class(object)); };
  EXPECT_EQ(class_of(0x100), 7U);
  EXPECT_EQ(class_of(0x200), 9U);
  EXPECT_EQ(index->lock_class(0x300), kNoIndex);
  EXPECT_EQ(class_of(0x400), 9U);
  EXPECT_EQ(index->lock_class(0x600), kNoIndex) << "its rows tell it";
}

}  // namespace
}  // namespace polytrace::store::calls
