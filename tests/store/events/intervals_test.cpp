// SPDX-License-Identifier: Apache-2.0
// What lasts a while is what its events say, paired here one by one.
#include "store/ask/events/intervals.hpp"

#include <map>
#include <random>

#include "store/events/told_spans.hpp"

namespace polytrace::store::spans {
namespace {

using indexes::index_of;

std::vector<Paired> asked(const IndexFrames& frames, SpanKind kind, const Range& range = {}) {
  std::vector<Paired> all;
  const auto done = intervals(frames, kind, range, {}, [&](const Interval& one) {
    all.push_back({one.start, one.end, frames.thread(one.thread), one.depth, one.row, one.how});
  });
  EXPECT_TRUE(done) << base::to_text(done.error());
  std::ranges::sort(all);
  return all;
}

std::vector<Paired> collections_of(const Batch& batch) {
  slice::CollectionSpans spans;
  std::map<std::uint32_t, Time> last;
  std::uint32_t row = 0;
  for (const Event& event : batch.events) {
    Time& at = last.try_emplace(event.thread, event.time).first->second;
    at = std::max(at, event.time);
    if (event.kind == Kind::Move) spans.moved(event.thread);
    if (event.kind != Kind::Gc) continue;
    spans.add(event.thread, event, batch.details_or<event::Gc>(event, {}), row++);
  }
  spans.finish();
  std::vector<Paired> all;
  for (const slice::Collection& one : spans.all()) {
    const bool ended = one.end != base::kNoTime;
    all.push_back({one.start, std::max(one.start, ended ? one.end : last[one.thread]),
                   batch.threads[one.thread], 0, one.site, ended ? How::ended : How::open});
  }
  std::ranges::sort(all);
  return all;
}

void expect_intervals(const Batch& batch, const BuildOptions& options = {}) {
  const Batch* const all[]{&batch};
  const auto frames = index_of(all, options);
  for (const Rule& rule : kRules_)
    EXPECT_EQ(asked(*frames, rule.kind), paired(batch, rule)) << static_cast<int>(rule.kind);
  EXPECT_EQ(asked(*frames, SpanKind::collection), collections_of(batch));
  slice::PauseFinder finder;
  for (const Event& event : batch.events)
    if (event.kind == Kind::Gc)
      finder.add(batch.thread(event), event.time, batch.details_or<event::Gc>(event, {}).phase);
  const slice::Pauses truth = finder.take();
  const auto stops = asked(*frames, SpanKind::stop);
  ASSERT_EQ(stops.size(), truth.all.size());
  for (std::size_t i = 0; i < stops.size(); ++i) {
    EXPECT_EQ(stops[i].start, truth.all[i].start);
    EXPECT_EQ(stops[i].end, truth.all[i].end);
  }
}

TEST(intervals, are_what_events_say) {
  for (unsigned seed = 1; seed < 5; ++seed) {
    Batch batch;
    add_spans(batch, seed, 6000);
    expect_intervals(batch);
    expect_intervals(batch, {.most_open = 1 << 14});
  }
}

TEST(intervals, of_every_sample_are_what_its_events_say) {
  std::map<SpanKind, std::size_t> found;
  indexes::for_each_recording(2, [&found](event::Reader& reader) {
    const auto told = indexes::tell(reader);
    expect_intervals(told->batch);
    for (const Rule& rule : kRules_) found[rule.kind] += paired(told->batch, rule).size();
  });
  EXPECT_GT(found[SpanKind::lock], 0U);
  EXPECT_GT(found[SpanKind::compilation], 0U);
  EXPECT_GT(found[SpanKind::wait], 0U);
}

TEST(intervals, of_a_stretch_are_those_that_it_meets) {
  Batch batch;
  add_spans(batch, 9, 5000);
  const Batch* const all[]{&batch};
  const auto frames = index_of(all);
  std::mt19937_64 random(3);
  for (const SpanKind kind :
       {SpanKind::lock, SpanKind::compilation, SpanKind::collection, SpanKind::stop}) {
    const auto whole = asked(*frames, kind);
    for (int i = 0; i < 30; ++i) {
      Range range;
      range.from = 1'000'000 + static_cast<Time>(random() % 130'000);
      range.to = range.from + static_cast<Time>(random() % 5000);
      if (i % 2 == 0) range.threads = {2, 0};
      std::vector<Paired> met;
      for (const Paired& one : whole) {
        const bool is_asked = i % 2 != 0 || kind == SpanKind::stop ||
                              one.thread == frames->thread(0) || one.thread == frames->thread(2);
        if (is_asked && one.start < range.to && one.end >= range.from) met.push_back(one);
      }
      ASSERT_EQ(asked(*frames, kind, range), met);
    }
  }
}

// What was asked for of the rows at both ends.
TEST(intervals, tell_fields_of_their_rows) {
  Batch batch;
  const auto slot = batch.thread_slot(5);
  batch.add(10, slot, 77, event::Monitor{.stage = event::MonitorStage::contended, .owner = 4});
  batch.add(30, slot, 77, event::Monitor{.stage = event::MonitorStage::failed, .owner = 6});
  batch.add(40, slot, base::kNoId,
            event::Gc{.phase = event::GcPhase::start, .generation = 1, .reason = "full"});
  batch.add(50, slot, base::kNoId, event::Gc{.phase = event::GcPhase::world_stopped});
  batch.add(80, slot, base::kNoId, event::Gc{.phase = event::GcPhase::end, .generation = 1});
  const Batch* const all[]{&batch};
  const auto frames = index_of(all);
  std::vector<std::vector<u64>> values;
  const auto owner = field_number(Kind::Monitor, "owner");
  ASSERT_TRUE(intervals(*frames, SpanKind::lock, {}, {owner, kTimeField}, [&](const Interval& one) {
    values.emplace_back(one.begun.begin(), one.begun.end());
    values.emplace_back(one.ended.begin(), one.ended.end());
    EXPECT_EQ(one.subject, 77U);
    EXPECT_EQ(one.how, How::failed);
  }));
  EXPECT_EQ(values, (std::vector<std::vector<u64>>{{4, 10}, {6, 30}}));
  const auto reason = field_number(Kind::Gc, "reason");
  ASSERT_TRUE(intervals(*frames, SpanKind::collection, {}, {reason}, [&](const Interval& one) {
    ASSERT_EQ(one.begun.size(), 1U);
    EXPECT_EQ(frames->text(one.begun[0]), "full");
    EXPECT_EQ(one.subject, 1U);
    EXPECT_EQ(one.end, 80);
  }));
}

}  // namespace
}  // namespace polytrace::store::spans
