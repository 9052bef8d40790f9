// SPDX-License-Identifier: Apache-2.0
// What threads did in each bucket is what their calls, waits and rows add up to there, one by one.
#include "store/ask/events/series.hpp"

#include <fmt/format.h>

#include <random>
#include <ranges>

#include "store/events/told_spans.hpp"
#include "store/zoom/zoomed.hpp"

namespace polytrace::store::spans {
namespace {

using zooms::true_bucket;

struct Traced {
  explicit Traced(unsigned seed, const BuildOptions& options) {
    calls::StreamShape shape{.events = 6000, .depth = 12, .waits = 30, .step = 90};
    std::vector<calls::Stream> streams{calls::random_stream(shape, seed),
                                       calls::random_stream(shape, seed + 50)};
    // Now and then a thread is in no call.
    shape.depth = 1;
    streams.push_back(calls::random_stream(shape, seed + 90));
    for (const auto& stream : streams) truth.push_back(calls::truth_of(stream));
    std::mt19937_64 random(seed);
    std::vector<std::size_t> at(streams.size());
    for (std::size_t left = 18'000; left > 0;) {
      const std::size_t i = random() % 3;
      const std::uint16_t slot = batch.thread_slot(100 + i);
      for (std::size_t n = 1 + random() % 40; n > 0 && at[i] < streams[i].size(); --n, --left) {
        const calls::Told& told = streams[i][at[i]++];
        calls::add(batch, slot, told);
        add_row(told.time, i, slot, random);
      }
    }
    origin = batch.events[0].time;
    const Batch* const all[]{&batch};
    frames = indexes::index_of(all, options);
  }
  // Between calls, at the same time.
  void add_row(Time time, std::size_t thread, std::uint16_t slot, std::mt19937_64& random) {
    const auto size = random() % 100;
    const auto weight = static_cast<std::uint32_t>(random() % 3);
    Row row{time, thread, 0, 0, 0};
    switch (random() % 12) {
      case 0:
        batch.add(time, slot, 7, event::Alloc{.size = size, .weight = weight});
        row.objects = std::max<std::uint64_t>(weight, 1);
        row.bytes = row.objects * size;
        break;
      case 1:
        batch.add(time, slot, 7, event::AllocSummary{.count = 3, .bytes = size});
        row.objects = 3;
        row.bytes = size;
        break;
      case 2: {
        row.thread = random() % 3;
        const auto mode = random() % 4 == 0 ? event::SampleMode::change : event::SampleMode::cpu;
        row.samples = mode == event::SampleMode::cpu;
        batch.add(time, slot, 100 + row.thread, event::Sample{.mode = mode});
        break;
      }
      default: return;
    }
    rows.push_back(row);
  }

  struct Row {
    Time time;
    std::size_t thread;
    std::uint64_t objects, bytes, samples;
  };
  Batch batch;
  std::vector<calls::TrueThread> truth;
  std::vector<Row> rows;
  std::shared_ptr<const IndexFrames> frames;
  Time origin = 0;

  // Index of a thread in the index, by its number here.
  std::uint32_t index(std::size_t thread) const {
    for (std::uint32_t i = 0;; ++i)
      if (frames->thread(i) == 100 + thread) return i;
  }
  std::vector<ActivityPoint> expected(const Buckets& asked,
                                      const std::vector<std::size_t>& threads) const;
};

bool is_in(const std::vector<std::pair<Time, Time>>& spans, Time time) {
  return std::ranges::any_of(spans,
                             [&](const auto& of) { return of.first <= time && time < of.second; });
}

// Nanosecond by nanosecond between the moments at which anything changes.
std::vector<ActivityPoint> Traced::expected(const Buckets& asked,
                                            const std::vector<std::size_t>& threads) const {
  std::map<std::int64_t, ActivityPoint> points;
  const auto at = [&](Time time) -> ActivityPoint& {
    const std::int64_t bucket = true_bucket(time, origin, asked.level);
    points[bucket].bucket = bucket;
    return points[bucket];
  };
  const Time width = Time{1} << asked.level;
  for (const std::size_t thread : threads) {
    const calls::TrueThread& of = truth[thread];
    std::vector<std::pair<Time, Time>> outermost;
    std::vector<Time> edges;
    for (std::size_t i = 0; i < of.calls.size(); ++i) {
      ++at(of.calls[i].start).calls;
      if (of.calls[i].stack.size() == 1) outermost.emplace_back(of.calls[i].start, of.calls[i].end);
    }
    for (const auto& spans : {outermost, of.locked, of.waiting})
      for (const auto& [start, end] : spans) edges.insert(edges.end(), {start, end});
    std::ranges::sort(edges);
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
      for (Time time = edges[i]; time < edges[i + 1];) {
        const Time behind = origin + (true_bucket(time, origin, asked.level) + 1) * width;
        const Time end = std::min(edges[i + 1], behind);
        const auto ns = static_cast<std::uint64_t>(end - time);
        ActivityPoint& point = at(time);
        if (is_in(outermost, time)) point.in_calls += ns;
        if (is_in(of.locked, time)) point.blocked += ns;
        else if (is_in(of.waiting, time)) point.waiting += ns;
        time = end;
      }
    }
  }
  for (const Row& row : rows) {
    if (std::ranges::find(threads, row.thread) == threads.end()) continue;
    ActivityPoint& point = at(row.time);
    point.objects += row.objects;
    point.bytes += row.bytes;
    point.samples += row.samples;
  }
  std::vector<ActivityPoint> all;
  for (const auto& [bucket, point] : points) {
    const bool any = point != ActivityPoint{.bucket = bucket};
    if (bucket >= asked.first && bucket < asked.end && any) all.push_back(point);
  }
  return all;
}

std::string differs(const std::vector<ActivityPoint>& a, const std::vector<ActivityPoint>& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (a[i] != b[i])
      return fmt::format("bucket {}/{}: in calls {}/{}, blocked {}/{}, waiting {}/{}, calls {}/{}",
                         a[i].bucket, b[i].bucket, a[i].in_calls, b[i].in_calls, a[i].blocked,
                         b[i].blocked, a[i].waiting, b[i].waiting, a[i].calls, b[i].calls) +
             fmt::format(", objects {}/{}, samples {}/{}", a[i].objects, b[i].objects, a[i].samples,
                         b[i].samples);
  return a.size() == b.size() ? "" : fmt::format("{} and {} points", a.size(), b.size());
}

TEST(series, of_activity_is_what_calls_waits_and_rows_add_up_to) {
  for (unsigned seed = 1; seed < 5; ++seed) {
    // Stored where it can be, and not at all.
    const SeriesOptions stored{.frame_entries = 20, .least_events = 1, .events_per_entry = 1};
    const Traced traced(seed,
                        {.most_open = 1 << 16,
                         .series = seed < 3 ? stored : SeriesOptions{.least_events = 1'000'000}});
    const bool any = std::ranges::any_of(std::views::iota(0, 3), [&](int thread) {
      return !traced.frames->series(static_cast<std::uint32_t>(thread)).empty();
    });
    EXPECT_EQ(any, seed < 3);
    std::mt19937_64 random(seed);
    SpanTables kept, none(0);
    const auto length = static_cast<std::uint64_t>(
        traced.batch.events[traced.batch.events.size() - 1].time - traced.origin);
    for (int i = 0; i < calls::tried(40); ++i) {
      Buckets asked{.level = static_cast<unsigned>(8 + random() % 14)};
      asked.first = static_cast<std::int64_t>((random() % length) >> asked.level) - 3;
      asked.end = asked.first + 1 + static_cast<std::int64_t>(random() % 60);
      if (i == 0) asked.level = 60, asked.first = -1, asked.end = 2;
      std::vector<std::size_t> threads{0, 1, 2};
      if (i % 2 == 0) {
        threads = {static_cast<std::size_t>(i / 2) % 3};
        asked.threads = {traced.index(threads[0]), traced.index(threads[0])};
      }
      const auto right = traced.expected(asked, threads);
      for (SpanTables* const tables : {&kept, &none}) {
        std::vector<ActivityPoint> points;
        ASSERT_TRUE(activity(*traced.frames, *tables, traced.origin, asked,
                             [&](const ActivityPoint& point) { points.push_back(point); }));
        ASSERT_EQ(differs(points, right), "") << i;
      }
      EXPECT_FALSE(i == 0 && right.empty());
    }
  }
}

TEST(series, refuses_what_it_cannot_answer) {
  const Traced traced(1, {});
  SpanTables tables;
  const auto ask = [&](const Buckets& asked) {
    return activity(*traced.frames, tables, 0, asked, [](const ActivityPoint&) {}).has_value();
  };
  const std::atomic<bool> stop{true};
  EXPECT_FALSE(ask({.level = 63, .first = 0, .end = 1}));
  EXPECT_FALSE(ask({.level = 3, .first = 0, .end = kMostBuckets + 1}));
  EXPECT_FALSE(ask({.level = 3,
                    .first = std::numeric_limits<std::int64_t>::min(),
                    .end = std::numeric_limits<std::int64_t>::max()}));
  EXPECT_TRUE(ask({.level = 3, .first = 5, .end = 5}));
  EXPECT_FALSE(ask({.level = 10, .first = 0, .end = 10'000, .threads = {}, .stop = &stop}));
}

TEST(series, of_values_are_those_of_their_rows) {
  Batch batch;
  const auto slot = batch.thread_slot(1), other = batch.thread_slot(2);
  const auto heap = [&](Time time, std::uint64_t used, std::string_view generation = {}) {
    batch.add(time, slot, base::kNoId, event::HeapSize{.used = used, .generation = generation});
  };
  const auto count = [&](Time time, std::uint16_t of, event::CounterValue value) {
    batch.add(time, of, 40, value);
  };
  using Type = event::CounterType;
  heap(1000, 5);
  heap(1016, 9);
  heap(1020, 7);
  heap(1022, 1, "gen0");
  heap(1023, 0);
  count(1064, slot, {.type = Type::int64, .number = -3});
  count(1070, slot, {.type = Type::real, .real = 2.5});
  count(1066, other, {.type = Type::uint64, .number = 4});
  count(1066, other, {.type = Type::string, .text = "no number"});
  batch.add(1071, slot, 41, event::CounterValue{.type = Type::int64, .number = 77});
  const Batch* const all[]{&batch};
  const auto frames = indexes::index_of(all);
  const auto ask = [&](ValueSource source, std::int64_t first) {
    std::vector<std::vector<double>> points;
    const auto before =
        values(*frames, 1000, source, 0, {.level = 4, .first = first, .end = 100},
               [&](const ValuePoint& point) {
                 points.push_back({static_cast<double>(point.bucket), point.least, point.most,
                                   point.last, point.sum, static_cast<double>(point.count)});
               });
    EXPECT_TRUE(before);
    return std::pair(points, *before);
  };
  using Points = std::vector<std::vector<double>>;
  const auto used = ask(ValueSource::heap_used, 0);
  EXPECT_EQ(used.first, (Points{{0, 5, 5, 5, 5, 1}, {1, 7, 9, 7, 16, 2}}));
  EXPECT_FALSE(used.second);
  const auto later = ask(ValueSource::heap_used, 2);
  EXPECT_EQ(later.first, Points{});
  EXPECT_EQ(later.second, 7);
  EXPECT_EQ(ask(ValueSource::heap_total, 0).first, Points{});
  EXPECT_EQ(ask(ValueSource::counter, 0).first, (Points{{4, -3, 4, 2.5, 3.5, 3}}));
}

}  // namespace
}  // namespace polytrace::store::spans
