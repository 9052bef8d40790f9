// SPDX-License-Identifier: Apache-2.0
#include "service/trace/series_tracks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace polytrace::service {
namespace {

using event::CounterType;
using event::CounterUnit;
using event::Kind;
using store::ActivityPoint;
using store::field_number;

struct ActivitySeries {
  std::string_view id;
  std::string_view name;
  std::uint64_t ActivityPoint::* measure;
  std::string_view unit;
  std::array<Kind, 2> kinds;  // what it is told by
};
constexpr std::array<ActivitySeries, 4> kActivity{{
    {"series:activity",
     "Threads in a call",
     &ActivityPoint::in_calls,
     "count",
     {Kind::Enter, Kind::Leave}},
    {"series:threads.blocked",
     "Blocked threads",
     &ActivityPoint::blocked,
     "count",
     {Kind::Monitor, Kind::Monitor}},
    {"series:threads.waiting",
     "Waiting threads",
     &ActivityPoint::waiting,
     "count",
     {Kind::Wait, Kind::Wait}},
    {"series:alloc.bytes",
     "Allocated",
     &ActivityPoint::bytes,
     "bytes",
     {Kind::Alloc, Kind::AllocSummary}},
}};

Track track_of(std::string id, std::string name, SeriesOf series) {
  Track track;
  track.id = std::move(id);
  track.kind = "series";
  track.name = std::move(name);
  track.series = series;
  return track;
}

struct Told {
  CounterType type = CounterType::int64;  // of its last number
  std::uint64_t number = 0, real = 0;     // the first one's bits
  bool changes = false;
};
// Those that have a number.
base::result<std::map<std::uint64_t, Told>> told_counters(const IndexedTrace& trace,
                                                          const std::atomic<bool>* stop) {
  std::map<std::uint64_t, Told> found;
  constexpr Kind kKind = Kind::CounterValue;
  const auto read = trace.store().rows(
      kKind, {.stop = stop},
      {store::kSubjectField, field_number(kKind, "type"), field_number(kKind, "number"),
       field_number(kKind, "real")},
      [&](const store::RowPage& page) {
        for (std::size_t i = 0; i < page.rows.size(); ++i) {
          const auto type = static_cast<CounterType>(page.columns[1][i]);
          const std::uint64_t number = page.columns[2][i], real = page.columns[3][i];
          if (type == CounterType::string) continue;
          Told& told =
              found.try_emplace(page.columns[0][i], Told{type, number, real}).first->second;
          told.type = type;
          told.changes = told.changes || number != told.number || real != told.real;
        }
      });
  if (!read) return base::Unexpected(read.error());
  return found;
}

base::result<std::map<std::uint64_t, CounterUnit>> counter_units(const IndexedTrace& trace,
                                                                 const std::atomic<bool>* stop) {
  std::map<std::uint64_t, CounterUnit> found;
  const auto read = trace.store().rows(
      Kind::CounterDef, {.stop = stop},
      {store::kSubjectField, field_number(Kind::CounterDef, "unit")},
      [&](const store::RowPage& page) {
        for (std::size_t i = 0; i < page.rows.size(); ++i)
          found[page.columns[0][i]] = static_cast<CounterUnit>(page.columns[1][i]);
      });
  if (!read) return base::Unexpected(read.error());
  return found;
}

// An interval is microseconds, a time counts 100 ns, a percentage is 0 to 1.
SeriesOf counter_series(std::uint64_t counter, CounterType type, CounterUnit unit) {
  SeriesOf series{.source = store::ValueSource::counter, .counter = counter, .unit = "count"};
  if (type == CounterType::interval) series.scale = 1000, series.unit = "ns";
  else if (unit == CounterUnit::time) series.scale = 100, series.unit = "ns";
  else if (unit == CounterUnit::bytes) series.unit = "bytes";
  else if (unit == CounterUnit::percentage) series.scale = 100, series.unit = "percent";
  return series;
}

base::result<void> add_counters(const IndexedTrace& trace, const std::atomic<bool>* stop,
                                std::vector<Track>& tracks, std::vector<std::string>& notes) {
  const auto told = told_counters(trace, stop);
  if (!told) return base::Unexpected(told.error());
  const auto units = counter_units(trace, stop);
  if (!units) return base::Unexpected(units.error());
  std::size_t shown = 0, constant = 0, left_out = 0;
  for (const auto& [counter, values] : *told) {
    constant += values.changes ? 0 : 1;
    left_out += values.changes && shown == kMostCounters ? 1 : 0;
    if (!values.changes || shown == kMostCounters) continue;
    ++shown;
    const store::Entity& entity = trace.store().entities().of(store::EntitySort::counter, counter);
    const std::string_view name = trace.store().texts().text(entity.name);
    const auto unit = units->find(counter);
    tracks.push_back(
        track_of(fmt::format("series:counter.{}", counter),
                 name.empty() ? fmt::format("counter {}", counter) : std::string(name),
                 counter_series(counter, values.type,
                                unit == units->end() ? CounterUnit::raw : unit->second)));
  }
  if (constant != 0)
    notes.push_back(fmt::format("{} counters never changed: they have no track", constant));
  if (left_out != 0)
    notes.push_back(
        fmt::format("{} counters behind the first {} have no track", left_out, kMostCounters));
  return {};
}

struct HeapSeries {
  std::string_view id;
  std::string_view name;
  store::ValueSource source;
};
constexpr std::array<HeapSeries, 2> kHeap{
    {{"series:heap.used", "Heap in use", store::ValueSource::heap_used},
     {"series:heap.total", "Heap size", store::ValueSource::heap_total}}};

// Whether that was told of the heap as a whole.
base::result<bool> is_told(const IndexedTrace& trace, store::ValueSource source,
                           const std::atomic<bool>* stop) {
  bool any = false;
  const store::Buckets whole{.level = store::kMostLevel, .first = -2, .end = 2, .stop = stop};
  const auto read =
      trace.store().values(source, 0, whole, [&](const store::ValuePoint&) { any = true; });
  if (!read) return base::Unexpected(read.error());
  return any;
}

}  // namespace

base::result<std::vector<Track>> series_tracks(const IndexedTrace& trace,
                                               const std::atomic<bool>* stop,
                                               std::vector<std::string>& notes) {
  std::vector<Track> tracks;
  for (const ActivitySeries& one : kActivity) {
    const bool is_calls = one.measure == &ActivityPoint::in_calls;
    const bool is_there =
        is_calls ? trace.store().facts().totals.blocks != 0
                 : std::ranges::any_of(one.kinds, [&](Kind kind) { return trace.rows(kind) != 0; });
    if (is_there)
      tracks.push_back(track_of(std::string(one.id), std::string(one.name),
                                {.measure = one.measure, .unit = one.unit}));
  }
  for (const HeapSeries& heap : kHeap) {
    const auto told = is_told(trace, heap.source, stop);
    if (!told) return base::Unexpected(told.error());
    if (*told)
      tracks.push_back(track_of(std::string(heap.id), std::string(heap.name),
                                {.source = heap.source, .unit = "bytes"}));
  }
  if (auto added = add_counters(trace, stop, tracks, notes); !added)
    return base::Unexpected(added.error());
  return tracks;
}

}  // namespace polytrace::service
