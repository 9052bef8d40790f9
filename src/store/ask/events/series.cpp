// SPDX-License-Identifier: Apache-2.0
#include "store/ask/events/series.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/codes.hpp"
#include "base/frames/bits.hpp"
#include "store/read/cells/series_layout.hpp"

namespace polytrace::store {
namespace {

using base::Code;
using base::fail;
using base::Time;
using base::Unexpected;
using event::Kind;

base::result<void> check(const Buckets& asked) {
  if (asked.level > kMostLevel) return fail(Code::value_unexpected, "level");
  const bool are_many = asked.end > asked.first && static_cast<std::uint64_t>(asked.end) -
                                                           static_cast<std::uint64_t>(asked.first) >
                                                       static_cast<std::uint64_t>(kMostBuckets);
  if (are_many) return fail(Code::limit_exceeded, "buckets");
  return {};
}

Zoom stretch_of(const Buckets& asked) {
  return {.level = asked.level, .first_bucket = asked.first, .end_bucket = asked.end};
}

// Adds up what happens in the buckets of a stretch.
class Activity {
 public:
  using Measure = std::uint64_t ActivityPoint::*;

  Activity(Time origin, const Buckets& asked)
      : asked_(asked), zoom_(stretch_of(asked)), stretch_(origin, zoom_) {
    points_.resize(static_cast<std::size_t>(asked.end - asked.first));
    for (std::size_t i = 0; i < points_.size(); ++i)
      points_[i].bucket = asked.first + static_cast<std::int64_t>(i);
  }
  Time from() const { return stretch_.from(); }
  Time to() const { return stretch_.to(); }
  unsigned level() const { return asked_.level; }
  // Null: it is in none of the buckets.
  ActivityPoint* at(Time time) { return of(bucket_of(time, stretch_.origin(), asked_.level)); }
  ActivityPoint* of(std::int64_t bucket) {
    if (bucket < asked_.first || bucket >= asked_.end) return nullptr;
    return &points_[static_cast<std::size_t>(bucket - asked_.first)];
  }
  void count(Time time, Measure measure, std::uint64_t amount) {
    if (ActivityPoint* const point = at(time)) point->*measure += amount;
  }
  // The part of [start, end) in each bucket.
  void spread(Time start, Time end, Measure measure) {
    start = std::max(start, from());
    end = std::min(end, to());
    if (start >= end) return;
    const std::uint64_t width = std::uint64_t{1} << asked_.level;
    const auto since =
        static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(stretch_.origin());
    std::uint64_t room = width - (since & (width - 1));  // of the first bucket
    std::uint64_t left = base::elapsed(start, end);
    for (ActivityPoint* point = at(start); left != 0; ++point) {
      const std::uint64_t part = std::min(left, room);
      point->*measure += part;
      left -= part;
      room = width;
    }
  }
  void visit(const ActivityVisitor& visit) const {
    for (const ActivityPoint& point : points_)
      if (point != ActivityPoint{.bucket = point.bucket}) visit(point);
  }

 private:
  const Buckets& asked_;
  Zoom zoom_;
  Stretch stretch_;
  std::vector<ActivityPoint> points_;
};

// What a thread's calls add.
class CallActivity {
 public:
  CallActivity(const CallFrames& frames, Activity& sums) : frames_(frames), sums_(sums) {}

  base::result<void> add(std::uint32_t thread, const std::atomic<bool>* stop) {
    const auto [begin, end] = frames_.met_by(thread, sums_.from(), sums_.to());
    auto where = CallFrames::Where::is_first;
    for (std::uint32_t place = begin; place < end; where = CallFrames::Where::follows) {
      if (stop != nullptr && *stop) return fail(Code::limit_exceeded, "stopped");
      const CallFrames::Cells* const frame =
          CallFrames::coarsest(frames_.series(thread), place, sums_.level(), where);
      auto added = frame != nullptr ? add_frame(*frame) : add_block(thread, place);
      if (!added) return added;
      place = frame != nullptr ? frame->first + frame->blocks : place + 1;
    }
    return {};
  }

 private:
  // Buckets outside of what is asked for are nobody's.
  base::result<void> add_frame(const CallFrames::Cells& frame) {
    const auto payload = frames_.payload(frame);
    if (!payload) return Unexpected(payload.error());
    entries_.clear();
    auto read = read_series(*payload, entries_);
    if (!read) return read;
    for (const SeriesEntry& entry : entries_) {
      ActivityPoint* const point = sums_.of(entry.bucket >> (sums_.level() - frame.level));
      if (point == nullptr) continue;
      point->in_calls += entry.in_calls;
      point->calls += entry.calls;
    }
    return {};
  }
  base::result<void> add_block(std::uint32_t thread, std::uint32_t place) {
    const CallFrames::Block& block = frames_.blocks(thread)[place];
    ActivityPoint* const first = sums_.at(block.before);
    if (first != nullptr && first == sums_.at(block.last)) return add_whole(thread, place, *first);
    const auto read = frames_.block(thread, place);
    if (!read) return Unexpected(read.error());
    walk(**read);
    return {};
  }
  // Of a block in one bucket its sums tell all.
  base::result<void> add_whole(std::uint32_t thread, std::uint32_t place, ActivityPoint& to) {
    const auto payload = frames_.payload(thread, place);
    if (!payload) return Unexpected(payload.error());
    paths_.clear();
    auto read = read_block_sums(*payload, frames_.paths().size(), paths_);
    if (!read) return read;
    for (const PathSum& sum : paths_) {
      to.in_calls += sum.self;
      to.calls += sum.calls;
    }
    return {};
  }
  void walk(const CallBlock& block) {
    std::uint64_t depth = block.head().open;
    Time time = block.head().before;
    Time since = time;
    for (std::uint32_t event = 0; event < block.head().events; ++event) {
      time = base::tick_after(time, block.difference(event));
      if (block.enters(event)) {
        if (depth++ == 0) since = time;
        sums_.count(time, &ActivityPoint::calls, 1);
      } else if (depth != 0 && --depth == 0) {
        sums_.spread(since, time, &ActivityPoint::in_calls);
      }
    }
    if (depth != 0) sums_.spread(since, block.head().last, &ActivityPoint::in_calls);
  }

  const CallFrames& frames_;
  Activity& sums_;
  std::vector<PathSum> paths_;
  std::vector<SeriesEntry> entries_;
};

base::result<void> add_waits(const IndexFrames& frames, SpanTables& tables, const Range& range,
                             Activity& sums) {
  const auto add = [&](const SpanItem& item) {
    const bool is_blocked = item.name == kBlocked;
    sums.spread(item.start, item.end,
                is_blocked ? &ActivityPoint::blocked : &ActivityPoint::waiting);
  };
  const auto table = tables.of(frames, Family::waits, range.stop);
  if (!table) return Unexpected(table.error());
  if (*table == nullptr)
    return collect_spans(frames, Family::waits, range,
                         [&](std::uint32_t, const SpanItem& item) { add(item); });
  for (const std::uint32_t thread : range.threads.empty() ? (*table)->threads() : range.threads)
    (*table)->each(thread, 0, range.from, range.to, add);
  return {};
}

// Each object, or objects that were told as a sum.
base::result<void> add_allocations(const IndexFrames& frames, const Range& range, Activity& sums) {
  const std::vector<u16> of_object{kTimeField, field_number(Kind::Alloc, "weight"),
                                   field_number(Kind::Alloc, "size")};
  const auto add = [&](u64 time, u64 objects, u64 bytes) {
    ActivityPoint* const point = sums.at(static_cast<Time>(time));
    if (point == nullptr) return;
    point->objects += objects;
    point->bytes += bytes;
  };
  auto done = scan_rows(frames, Kind::Alloc, range, of_object, [&](const RowPage& page) {
    const auto& columns = page.columns;
    for (std::size_t i = 0; i < page.rows.size(); ++i) {
      const u64 objects = std::max<u64>(columns[1][i], 1);
      add(columns[0][i], objects, objects * columns[2][i]);
    }
  });
  if (!done) return done;
  const std::vector<u16> of_sum{kTimeField, field_number(Kind::AllocSummary, "count"),
                                field_number(Kind::AllocSummary, "bytes")};
  return scan_rows(frames, Kind::AllocSummary, range, of_sum, [&](const RowPage& page) {
    for (std::size_t i = 0; i < page.rows.size(); ++i)
      add(page.columns[0][i], page.columns[1][i], page.columns[2][i]);
  });
}

// They are those of the thread that was sampled, which another one may tell.
base::result<void> add_samples(const IndexFrames& frames, Range range, Activity& sums) {
  std::vector<std::uint32_t> threads = std::move(range.threads);
  range.threads.clear();
  std::ranges::sort(threads);
  const std::vector<u16> fields{kTimeField, kSubjectField, field_number(Kind::Sample, "mode")};
  return scan_rows(frames, Kind::Sample, range, fields, [&](const RowPage& page) {
    for (std::size_t i = 0; i < page.rows.size(); ++i) {
      if (page.columns[2][i] == static_cast<u64>(event::SampleMode::change)) continue;
      const bool is_asked =
          threads.empty() || std::ranges::binary_search(threads, page.columns[1][i]);
      if (is_asked) sums.count(static_cast<Time>(page.columns[0][i]), &ActivityPoint::samples, 1);
    }
  });
}

Kind kind_of(ValueSource source) {
  return source == ValueSource::counter ? Kind::CounterValue : Kind::HeapSize;
}

std::string_view field_of(ValueSource source) {
  switch (source) {
    case ValueSource::heap_total: return "total";
    case ValueSource::heap_used: return "used";
    case ValueSource::heap_objects: return "objects";
    case ValueSource::counter: break;
  }
  return "number";
}

// Puts values into buckets, in any order.
class Values {
 public:
  explicit Values(const Stretch& stretch) : stretch_(stretch) {}

  void add(Time time, double value) {
    if (!std::isfinite(value)) return;
    if (time < stretch_.from()) {
      if (!before_ || time >= before_->time) before_ = {time, value};
      return;
    }
    if (!stretch_.has_bucket_of(time)) return;
    const std::int64_t bucket = bucket_of(time, stretch_.origin(), stretch_.asked().level);
    const auto [at, fresh] =
        points_.try_emplace(bucket, Kept{{bucket, value, value, value, 0, 0}, time});
    ValuePoint& point = at->second.point;
    point.least = std::min(point.least, value);
    point.most = std::max(point.most, value);
    point.sum += value;
    ++point.count;
    if (time < at->second.last) return;
    point.last = value;
    at->second.last = time;
  }
  std::optional<double> visit(const ValueVisitor& visit) const {
    for (const auto& [bucket, kept] : points_) visit(kept.point);
    return before_ ? std::optional(before_->value) : std::nullopt;
  }

 private:
  struct Kept {
    ValuePoint point;
    Time last;
  };
  struct Before {
    Time time;
    double value;
  };
  const Stretch& stretch_;
  std::map<std::int64_t, Kept> points_;
  std::optional<Before> before_;
};

void add_counters(const RowPage& page, std::uint64_t counter, Values& to) {
  for (std::size_t i = 0; i < page.rows.size(); ++i) {
    const auto type = static_cast<event::CounterType>(page.columns[3][i]);
    if (page.columns[1][i] != counter || type == event::CounterType::string) continue;
    const u64 number = page.columns[2][i], real = page.columns[4][i];
    const bool is_signed = type != event::CounterType::uint64 && type != event::CounterType::word;
    const double value = type == event::CounterType::real ? std::bit_cast<double>(real)
                         : is_signed ? static_cast<double>(static_cast<std::int64_t>(number))
                                     : static_cast<double>(number);
    to.add(static_cast<Time>(page.columns[0][i]), value);
  }
}

}  // namespace

base::result<void> activity(const IndexFrames& frames, SpanTables& tables, Time origin,
                            const Buckets& asked, const ActivityVisitor& visit) {
  if (auto checked = check(asked); !checked) return checked;
  if (asked.first >= asked.end) return {};
  Activity sums(origin, asked);
  Range range{.from = sums.from(), .to = sums.to(), .threads = asked.threads, .stop = asked.stop};
  std::ranges::sort(range.threads);
  const auto twice = std::ranges::unique(range.threads);
  range.threads.erase(twice.begin(), twice.end());
  CallActivity calls(frames, sums);
  auto done = ask_threads(frames, range,
                          [&](std::uint32_t thread) { return calls.add(thread, asked.stop); });
  if (done) done = add_waits(frames, tables, range, sums);
  if (done) done = add_allocations(frames, range, sums);
  if (done) done = add_samples(frames, range, sums);
  if (done) sums.visit(visit);
  return done;
}

base::result<std::optional<double>> values(const IndexFrames& frames, Time origin,
                                           ValueSource source, std::uint64_t counter,
                                           const Buckets& asked, const ValueVisitor& visit) {
  if (auto checked = check(asked); !checked) return Unexpected(checked.error());
  const Zoom zoom = stretch_of(asked);
  const Stretch stretch(origin, zoom);
  Values all(stretch);
  const Kind kind = kind_of(source);
  const bool is_counter = source == ValueSource::counter;
  const Range range{
      .to = std::max(stretch.from(), stretch.to()), .threads = {}, .stop = asked.stop};
  std::vector<u16> fields{kTimeField, kSubjectField, field_number(kind, field_of(source))};
  fields.push_back(field_number(kind, is_counter ? "type" : "generation"));
  fields.push_back(field_number(kind, is_counter ? "real" : field_of(source)));
  const auto scanned = scan_rows(frames, kind, range, fields, [&](const RowPage& page) {
    if (is_counter) return add_counters(page, counter, all);
    const u64 none = none_of(kind, fields[2]), whole = none_of(kind, fields[3]);
    for (std::size_t i = 0; i < page.rows.size(); ++i)
      if (page.columns[3][i] == whole && page.columns[2][i] != none)
        all.add(static_cast<Time>(page.columns[0][i]), static_cast<double>(page.columns[2][i]));
  });
  if (!scanned) return Unexpected(scanned.error());
  return all.visit(visit);
}

}  // namespace polytrace::store
