// SPDX-License-Identifier: Apache-2.0
#include "store/build/pass/call_series.hpp"

#include <algorithm>
#include <utility>

#include "base/frames/bits.hpp"
#include "base/frames/svb.hpp"
#include "base/slot.hpp"
#include "store/build/largest.hpp"

namespace polytrace::store {
namespace {

using base::Time;

// So few entries at the end of a trace are no work for anybody.
constexpr std::size_t kFewEntries = 256;

// OpenBuckets one after the other, with what is added to the one that is open.
class OpenBuckets {
 public:
  OpenBuckets(Time origin, unsigned level, std::vector<SeriesEntry>& entries)
      : origin_(static_cast<std::uint64_t>(origin)), level_(level), entries_(entries) {}

  bool holds(Time time) const { return since(time) - begin_ < width_; }
  // Times do not go back.
  void turn_to(Time time) {
    flush();
    now_ = {static_cast<std::int64_t>(since(time)) >> level_, 0, 0};
    begin_ = static_cast<std::uint64_t>(now_.bucket) << level_;
    width_ = std::uint64_t{1} << level_;
  }
  void count_call() { ++now_.calls; }
  void add(Time from, Time to) {
    std::uint64_t left = base::elapsed(from, to);
    if (!holds(from)) turn_to(from);
    std::uint64_t room = width_ - (since(from) - begin_);
    while (left > room) {
      now_.in_calls += room;
      left -= room;
      from = base::tick_after(from, room);
      turn_to(from);
      room = width_;
    }
    now_.in_calls += left;
  }
  void flush() {
    if (now_.in_calls == 0 && now_.calls == 0) return;
    if (!entries_.empty() && entries_.back().bucket == now_.bucket) {
      entries_.back().in_calls += now_.in_calls;
      entries_.back().calls += now_.calls;
    } else {
      entries_.push_back(now_);
    }
  }

 private:
  std::uint64_t since(Time time) const { return static_cast<std::uint64_t>(time) - origin_; }

  std::uint64_t origin_;
  unsigned level_;
  std::vector<SeriesEntry>& entries_;
  std::uint64_t begin_ = 0;  // of the bucket that is open, from the origin
  std::uint64_t width_ = 0;  // 0: none is
  SeriesEntry now_{};
};

// OpenBuckets of one level as those of a coarser one.
void join_into(const std::vector<SeriesEntry>& from, unsigned steps,
               std::vector<SeriesEntry>& into) {
  for (const SeriesEntry& entry : from) {
    const std::int64_t bucket = entry.bucket >> steps;
    if (into.empty() || into.back().bucket != bucket) into.push_back({bucket, 0, 0});
    into.back().in_calls += entry.in_calls;
    into.back().calls += entry.calls;
  }
}

}  // namespace

void append_buckets(const CallBlock& block, Time origin, unsigned level,
                    std::vector<SeriesEntry>& entries) {
  OpenBuckets buckets(origin, level, entries);
  const std::uint32_t* const times = block.times().data();
  const std::uint64_t* const directions = block.directions().data();
  const std::uint32_t events = block.head().events;
  std::uint64_t depth = block.head().open;
  Time time = block.head().before;
  Time since = time;  // when what is in calls now is not added yet
  for (std::uint32_t event = 0; event < events; ++event) {
    std::uint64_t difference = times[event];
    if (difference == base::kSvbLarger) [[unlikely]]
      difference = block.difference(event);
    time = base::tick_after(time, difference);
    if ((directions[event / 64] >> (event % 64) & 1) != 0) {
      if (!buckets.holds(time)) [[unlikely]] {
        if (depth != 0) buckets.add(std::exchange(since, time), time);
        buckets.turn_to(time);
      }
      if (depth++ == 0) since = time;
      buckets.count_call();
    } else if (depth != 0 && --depth == 0) {
      buckets.add(since, time);
    }
  }
  if (depth != 0) buckets.add(since, block.head().last);
  buckets.flush();
}

ThreadSeries::Level& ThreadSeries::level(unsigned number) {
  return base::slot(levels_, number / kCellStep);
}

void ThreadSeries::extend(Level& level, const Level& by) {
  if (level.blocks == 0) {
    level.first_block = by.first_block;
    level.before = by.before;
  }
  level.blocks += by.blocks;
  level.last = by.last;
  level.events += by.events;
}

// The finest at which the block's buckets are few beside its events.
unsigned ThreadSeries::level_for(const SeriesOptions& options, const BlockHead& head) {
  const std::uint64_t length = base::elapsed(head.before, head.last);
  const std::uint64_t most = 1 + head.events / options.events_per_entry;
  unsigned number = kLeastSeriesLevel;
  while (number + kCellStep <= kMostLevel && length >> number > most) number += kCellStep;
  return number;
}

void ThreadSeries::add(const SeriesOptions& options, Time origin, const EncodedBlock& block,
                       const CallBlock& decoded, const SeriesTaker& take) {
  thread_ = block.head.thread;
  const unsigned suits = level_for(options, block.head);
  for (; lowest_ < suits; lowest_ += kCellStep) close(options, lowest_, false, take);
  lowest_ = suits;
  Level& lowest = level(lowest_);
  extend(lowest, {block.number, 1, block.head.before, block.head.last, block.head.events, {}});
  append_buckets(decoded, origin, lowest_, lowest.entries);
  for (unsigned at = lowest_; at / kCellStep < levels_.size(); at += kCellStep)
    if (level(at).entries.size() >= options.frame_entries) close(options, at, false, take);
}

// Entries of a level: written if that pays, and handed to the level above.
void ThreadSeries::close(const SeriesOptions& options, unsigned number, bool is_end,
                         const SeriesTaker& take) {
  const Level closed = std::exchange(level(number), {});
  if (closed.blocks == 0) return;
  const std::size_t size = closed.entries.size();
  if (size != 0 && size <= kMostSeries && closed.events >= options.least_events &&
      size * options.events_per_entry <= closed.events) {
    SeriesFrame frame{thread_,     number, closed.first_block, closed.blocks, closed.before,
                      closed.last, {}};
    append_series(closed.entries, frame.payload);
    take(std::move(frame));
  }
  if (number + kCellStep > kMostLevel) return;
  Level& above = level(number + kCellStep);
  if (is_end && above.blocks == 0 && size <= kFewEntries) return;
  extend(above, closed);
  join_into(closed.entries, kCellStep, above.entries);
}

void ThreadSeries::finish(const SeriesOptions& options, const SeriesTaker& take) {
  for (unsigned at = kLeastSeriesLevel; at / kCellStep < levels_.size(); at += kCellStep)
    close(options, at, true, take);
  levels_ = {};
  lowest_ = kLeastSeriesLevel;
}

std::size_t ThreadSeries::bytes() const {
  std::size_t bytes = levels_.capacity() * sizeof(Level);
  for (const Level& level : levels_) bytes += level.entries.capacity() * sizeof(SeriesEntry);
  return bytes;
}

void SeriesMaker::add(Time origin, const EncodedBlock& block, const CallBlock& decoded,
                      const SeriesTaker& take) {
  auto& thread = base::slot(threads_, block.head.thread);
  if (thread == nullptr) thread = std::make_unique<ThreadSeries>();
  bytes_ -= thread->bytes();
  thread->add(options_, origin, block, decoded, take);
  bytes_ += thread->bytes();
  if (bytes_ <= options_.most_bytes) return;
  std::vector<ThreadSeries*> waiting;
  for (const auto& one : threads_)
    if (one != nullptr && one->bytes() != 0) waiting.push_back(one.get());
  bytes_ = shrink_largest(std::move(waiting), bytes_, options_.most_bytes / 2,
                          [&](ThreadSeries& one) { one.finish(options_, take); });
}

void SeriesMaker::finish(const SeriesTaker& take) {
  for (const auto& thread : threads_)
    if (thread != nullptr) thread->finish(options_, take);
  bytes_ = 0;
}

}  // namespace polytrace::store
