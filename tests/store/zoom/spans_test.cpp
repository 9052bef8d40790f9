// SPDX-License-Identifier: Apache-2.0
// Tracks that are not of calls from afar: what each event says, put into buckets here by division.
#include "store/ask/events/span_zoom.hpp"

#include <random>

#include "store/events/told_spans.hpp"
#include "store/zoom/zoomed.hpp"

namespace polytrace::store::zooms {
namespace {

using event::Batch;
using event::Event;
using event::Kind;
using slice::SpanKind;
using spans::How;
using spans::Paired;

// By id of the thread; kNoId: everybody's.
using True = std::map<base::Id, std::vector<SpanItem>>;

// By the stretches between neighbouring edges of locks.
void add_unblocked(const Paired& wait, const std::vector<Paired>& locks, True& truth) {
  std::vector<base::Time> edges{wait.start, wait.end};
  for (const Paired& lock : locks)
    for (const base::Time edge : {lock.start, lock.end})
      if (edge > wait.start && edge < wait.end && lock.start != lock.end) edges.push_back(edge);
  std::ranges::sort(edges);
  const auto blocked_at = [&](base::Time time) {
    return std::ranges::any_of(
        locks, [&](const Paired& lock) { return lock.start <= time && time < lock.end; });
  };
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const bool is_first = i == 0;
    if (blocked_at(edges[i]) || (edges[i] == edges[i + 1] && !is_first)) continue;
    truth[wait.thread].push_back({edges[i], edges[i + 1], 0, kWaiting, wait.row});
  }
}

True true_waits(const Batch& batch) {
  True truth;
  std::map<base::Id, std::vector<Paired>> locks;
  for (const Paired& lock : spans::paired(batch, spans::kRules_[0])) {
    if (lock.how == How::cut) continue;
    locks[lock.thread].push_back(lock);
    truth[lock.thread].push_back({lock.start, lock.end, 0, kBlocked, lock.row});
  }
  for (const Paired& wait : spans::paired(batch, spans::kRules_[1]))
    if (wait.how != How::cut) add_unblocked(wait, locks[wait.thread], truth);
  return truth;
}

True true_compilations(const Batch& batch, const IndexFrames& frames) {
  True truth;
  std::vector<std::uint32_t> names;  // by row
  std::map<base::Id, std::uint32_t> methods;
  for (std::uint32_t i = 0; i < frames.entities().count(EntitySort::method); ++i)
    methods[frames.method_id(i)] = i;
  for (const Event& event : batch.events)
    if (event.kind == Kind::Jit)
      names.push_back(event.id == base::kNoId ? kNoMethod : methods.at(event.id));
  for (const Paired& one : spans::paired(batch, spans::kRules_[2]))
    truth[one.thread].push_back({one.start, one.end, one.depth, names.at(one.row), one.row});
  return truth;
}

True true_marks(const Batch& batch) {
  True truth;
  std::map<Kind, std::uint64_t> rows;
  for (const Event& event : batch.events) {
    const std::uint64_t row = rows[event.kind]++;
    base::Id thread = batch.thread(event);
    SpanItem item{event.time, event.time, 0, 0, row};
    if (event.kind == Kind::Throw) {
      item.row = 0;
    } else if (event.kind == Kind::Sample) {
      if (batch.details<event::Sample>(event).mode == event::SampleMode::change) continue;
      item.row = 1;
      thread = event.id;
    } else if (event.kind == Kind::Note) {
      item.row = 2;
    } else if (event.kind == Kind::Lost) {
      const auto& lost = batch.details<event::Lost>(event);
      item.row = 3;
      if (lost.records == 0) item.start = lost.from, item.end = lost.to;
    } else {
      continue;
    }
    item.name = item.row;
    truth[thread].push_back(item);
  }
  return truth;
}

True true_stops(const Batch& batch) {
  slice::PauseFinder finder;
  for (const Event& event : batch.events)
    if (event.kind == Kind::Gc)
      finder.add(batch.thread(event), event.time, batch.details_or<event::Gc>(event, {}).phase);
  True truth;
  for (const auto& pause : finder.take().all)
    truth[base::kNoId].push_back({pause.start, pause.end, 0, 0, ~std::uint64_t{0}});
  return truth;
}

std::vector<Item> expected(std::vector<SpanItem> items, const Zoom& asked, base::Time origin) {
  std::ranges::sort(items, {}, &SpanItem::order);
  std::map<std::tuple<std::uint32_t, std::int64_t>, Item> narrow;
  std::vector<Item> all;
  const base::Time width = base::Time{1} << asked.level;
  const base::Time from = origin + asked.first_bucket * width;
  const base::Time to = origin + asked.end_bucket * width;
  for (const SpanItem& one : items) {
    if (one.row < asked.first_row || one.row >= asked.end_row) continue;
    const base::Time duration = one.end - one.start;
    const auto ns = static_cast<std::uint64_t>(duration);
    if (duration >= width) {
      if (one.start >= to || one.end <= from) continue;
      const base::Time start = std::max(one.start, from), end = std::min(one.end, to);
      all.push_back({one.row,
                     start,
                     end,
                     one.start >= from,
                     static_cast<std::uint64_t>(end - start),
                     ns,
                     one.number,
                     {one.name},
                     true,
                     one.start<from, one.end> to});
      continue;
    }
    if (one.start < from || one.start >= to) continue;
    const Item item{one.row,    one.start,  one.end, 1,     ns,   ns,
                    one.number, {one.name}, false,   false, false};
    const auto [at, fresh] =
        narrow.try_emplace({one.row, true_bucket(one.start, origin, asked.level)}, item);
    if (fresh) continue;
    Item& sum = at->second;
    sum.end = std::max(sum.end, one.end);
    ++sum.count;
    sum.busy += ns;
    if (ns <= sum.longest) continue;
    sum.longest = ns;
    sum.call = one.number;
    sum.path = {one.name};
  }
  for (const auto& [key, item] : narrow) all.push_back(item);
  std::ranges::sort(all, {}, [](const Item& item) {
    return std::tuple(item.row, item.start, item.longest, item.call);
  });
  return all;
}

std::vector<Item> told(const IndexFrames& frames, SpanTables& tables, base::Time origin,
                       const Zoom& asked) {
  std::vector<Item> items;
  const auto zoomed = zoom_spans(frames, tables, origin, asked, [&](const ZoomItem& item) {
    items.push_back({item.row,
                     item.start,
                     item.end,
                     item.count,
                     item.busy,
                     item.longest,
                     item.call,
                     {item.path},
                     item.is_wide,
                     item.begins_before,
                     item.ends_behind});
  });
  EXPECT_TRUE(zoomed) << base::to_text(zoomed.error());
  std::ranges::sort(items, {}, [](const Item& item) {
    return std::tuple(item.row, item.start, item.longest, item.call);
  });
  return items;
}

struct Tracks {
  explicit Tracks(unsigned seed) {
    spans::add_spans(batch, seed, 9000);
    const Batch* const all[]{&batch};
    frames = indexes::index_of(all, {.most_open = 1 << 14});
    origin = batch.events[0].time;
    truth[Family::waits] = true_waits(batch);
    truth[Family::compilations] = true_compilations(batch, *frames);
    truth[Family::marks] = true_marks(batch);
    truth[Family::pauses] = true_stops(batch);
  }
  // Of the stream or of what is sampled; threads without events have an index, too.
  base::Id id_of(std::uint32_t thread) const {
    return thread == kNoIndex ? base::kNoId : frames->thread(thread);
  }

  // Thread 19, which is only sampled.
  std::uint32_t eventless() const {
    std::uint32_t thread = kThreadsWithoutEvents;
    while (frames->thread(thread) != 19) ++thread;
    return thread;
  }

  Batch batch;
  std::shared_ptr<const IndexFrames> frames;
  base::Time origin = 0;
  std::map<Family, True> truth;
};

TEST(span_zoom, says_what_events_say) {
  for (unsigned seed = 1; seed < 4; ++seed) {
    Tracks tracks(seed);
    std::mt19937_64 random(seed);
    SpanTables kept, none(0);
    const auto length = static_cast<std::uint64_t>(
        tracks.batch.events[tracks.batch.events.size() - 1].time - tracks.origin);
    std::map<Family, std::size_t> items;
    for (int i = 0; i < 800; ++i) {
      Zoom asked{.level = static_cast<unsigned>(random() % 20)};
      asked.family = static_cast<Family>(1 + random() % 4);
      asked.thread = static_cast<std::uint32_t>(random() % 3);
      if (asked.family == Family::marks && i % 7 == 0) asked.thread = kNoIndex;
      if (asked.family == Family::marks && i % 7 == 1) asked.thread = tracks.eventless();
      asked.first_bucket = static_cast<std::int64_t>((random() % length) >> asked.level) - 1;
      asked.end_bucket = asked.first_bucket + static_cast<std::int64_t>(1 + random() % 600);
      if (i % 5 == 0) asked.first_row = 1, asked.end_row = 3;
      const bool shared = asked.family == Family::pauses;
      const base::Id thread = shared ? base::kNoId : tracks.id_of(asked.thread);
      const auto right = expected(tracks.truth[asked.family][thread], asked, tracks.origin);
      ASSERT_EQ(told(*tracks.frames, kept, tracks.origin, asked), right) << i;
      ASSERT_EQ(told(*tracks.frames, none, tracks.origin, asked), right) << i;
      items[asked.family] += right.size();
    }
    for (const Family family : {Family::waits, Family::compilations, Family::marks, Family::pauses})
      EXPECT_GT(items[family], 500U) << static_cast<int>(family);
  }
}

TEST(span_zoom, of_collections_has_a_row_for_each_generation) {
  Batch batch;
  const auto slot = batch.thread_slot(1);
  const auto gc = [&](base::Time time, event::GcPhase phase, std::uint32_t generation) {
    batch.add(time, slot, base::kNoId, event::Gc{.phase = phase, .generation = generation});
  };
  gc(100, event::GcPhase::start, 2);
  gc(120, event::GcPhase::start, 0);
  gc(130, event::GcPhase::end, 0);
  gc(190, event::GcPhase::end, 2);
  gc(200, event::GcPhase::start, 1'000'000'000);
  gc(240, event::GcPhase::end, 1'000'000'000);
  const Batch* const all[]{&batch};
  const auto frames = indexes::index_of(all);
  SpanTables tables;
  Zoom asked{.level = 4, .first_bucket = 0, .end_bucket = 100, .family = Family::collections};
  const auto items = told(*frames, tables, 100, asked);
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[0].row, 0U);
  EXPECT_EQ(items[0].longest, 10U);
  EXPECT_EQ(items[1].row, 2U);
  EXPECT_EQ(items[1].longest, 90U);
  EXPECT_EQ(items[2].row, kMostGeneration);
  EXPECT_EQ(items[2].path, std::vector<base::Id>{1'000'000'000});
}

}  // namespace
}  // namespace polytrace::store::zooms
