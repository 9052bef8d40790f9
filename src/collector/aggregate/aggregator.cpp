// SPDX-License-Identifier: Apache-2.0
#include "collector/aggregate/aggregator.hpp"

#include <algorithm>

namespace polytrace::collector {
namespace {

constexpr std::uint8_t kMostTimes = 255;
// An hour. Of a trace that is read while it comes, what is older is refused: how often each window
// was closed need not be known forever.
constexpr std::int64_t kWindowsKept = 360;
constexpr std::size_t kSweepAt = 3 * kWindowsKept;

// How many rows of facts there were. What names them stays: it may not have been told before.
struct FactCounts {
  explicit FactCounts(const Rows& rows)
      : profile(rows.of<warehouse::Profile10s>().size()),
        health(rows.of<warehouse::Health10s>().size()),
        moments(rows.of<warehouse::Moment>().size()) {}
  void cut(Rows& rows) const {
    rows.of<warehouse::Profile10s>().resize(profile);
    rows.of<warehouse::Health10s>().resize(health);
    rows.of<warehouse::Moment>().resize(moments);
  }

  std::size_t profile;
  std::size_t health;
  std::size_t moments;
};

bool happens(const event::Event& event) {
  const event::Role role = event::role_of(event.kind);
  return role == event::Role::call || role == event::Role::moment;
}

}  // namespace

Aggregator::Aggregator(AggregatorOptions options, Sink sink)
    : options_(std::move(options)),
      sink_(std::move(sink)),
      windows_(options_.accepted),
      finder_(options_.labels),
      frames_(options_.seed),
      maker_(frames_, windows_, options_.most_rows),
      calls_(windows_),
      walk_(slice::Selection{}),
      happenings_(windows_) {
  slicer_.follow_calls(slice::Slicer::Follower::first_walk);
}

bool Aggregator::consume(const event::Batch& batch) {
  bool goes_on = true;
  slicer_.slice(batch, [&](const slice::Slice& slice) {
    goes_on = goes_on && set_clock(slice);
    if (!goes_on) return;
    finder_.learn(slice);
    frames_.learn(slice);
    note_times(slice);
    walk_.consume(slice, calls_);
    happenings_.consume(slice);
  });
  if (goes_on && windows_.has_clock()) close_what_passed();
  return goes_on;
}

// The first clock counts: windows of one trace stay in one order.
bool Aggregator::set_clock(const slice::Slice& slice) {
  if (windows_.has_clock()) return true;
  Time first = base::kNoTime;
  for (const slice::Run& run : slice.runs)
    for (std::uint32_t i = run.begin; i < run.end; ++i) {
      const event::Event& event = slice.batch.events[i];
      if (happens(event) && (first == base::kNoTime || event.time < first)) first = event.time;
    }
  if (options_.starts) {
    if (first != base::kNoTime) windows_.set_clock(*options_.starts, first);
    return true;
  }
  for (const std::uint32_t i : slice.others) {
    const event::Event& event = slice.batch.events[i];
    if (event.kind != event::Kind::Clock) continue;
    const auto clock = slice.batch.details_or<event::Clock>(event, {});
    if (clock.wall <= 0) continue;
    windows_.set_clock(clock.wall, event.time);
    return true;
  }
  if (first == base::kNoTime) return true;
  if (options_.otherwise) windows_.set_clock(*options_.otherwise, first);
  return windows_.has_clock();
}

void Aggregator::note_times(const slice::Slice& slice) {
  for (const slice::Run& run : slice.runs) {
    for (std::uint32_t i = run.begin; i < run.end; ++i) {
      const event::Event& event = slice.batch.events[i];
      if (!happens(event) || windows_.at(event.time) == nullptr) continue;
      const Time wall = windows_.wall(event.time);
      latest_ = std::max(latest_, event.time);
      first_wall_ = first_wall_ == base::kNoTime ? wall : std::min(first_wall_, wall);
      last_wall_ = std::max(last_wall_, wall);
    }
  }
}

void Aggregator::close_what_passed() {
  std::size_t figures = 0;
  for (const auto& [number, window] : windows_.open()) figures += window.size();
  Rows rows;
  std::int64_t closed = -1;
  while (!windows_.open().empty()) {
    const auto& [number, window] = *windows_.open().begin();
    const Time end = windows_.end_of(number);
    const bool passed = latest_ != base::kNoTime &&
                        base::elapsed(end, latest_) >= static_cast<std::uint64_t>(options_.lag) &&
                        end < latest_;
    if (!passed && figures <= options_.most_open) break;
    figures -= std::min(figures, window.size());
    closed = number;
    if (options_.live) calls_.advance(end);
    close_one(rows);
  }
  if (options_.live) end_minutes(std::max(closed, last_passed()), rows);
  else if (closed >= 0) end_minutes(closed, rows);
  if (closed >= 0 || rows.size() != 0) send(std::move(rows), false);
}

// The last window that events have passed, whether or not it was open.
std::int64_t Aggregator::last_passed() const {
  if (latest_ == base::kNoTime) return -1;
  const Time wall = windows_.wall(latest_);
  return wall <= options_.lag ? -1 : (wall - options_.lag) / kWindow - 1;
}

void Aggregator::end_minutes(std::int64_t number, Rows& rows) {
  maker_.end_minutes(number, ids(), rows);
  while (!awaited_minutes_.empty() &&
         (*awaited_minutes_.begin() + 1) * RowMaker::kWindowsOfMinute - 1 <= number)
    awaited_minutes_.erase(awaited_minutes_.begin());
}

void Aggregator::close_until(Time wall) {
  if (!windows_.has_clock()) return;
  latest_ = std::max(latest_, windows_.time_at(wall));
  close_what_passed();
}

void Aggregator::accept(Accepted accepted) {
  options_.accepted = accepted;
  windows_.accept(accepted);
}

Time Aggregator::closes_next() const {
  Time next = base::kNoTime;
  const auto consider = [&](Time end) {
    if (next == base::kNoTime || end < next) next = end;
  };
  if (!windows_.open().empty()) consider((windows_.open().begin()->first + 1) * kWindow);
  if (const auto minute = maker_.first_minute())
    consider((*minute + 1) * RowMaker::kWindowsOfMinute * kWindow);
  return next == base::kNoTime ? next : next + options_.lag;
}

bool Aggregator::is_too_old(std::int64_t number) const {
  return options_.live && number < newest_ - kWindowsKept;
}

void Aggregator::forget_old_windows(std::int64_t newest) {
  newest_ = std::max(newest_, newest);
  if (!options_.live || closed_.size() < kSweepAt) return;
  for (auto at = closed_.begin(); at != closed_.end();)
    at = is_too_old(static_cast<std::int64_t>(at->first)) ? closed_.erase(at) : std::next(at);
  maker_.forget_before((newest_ - kWindowsKept) / RowMaker::kWindowsOfMinute);
}

void Aggregator::close_one(Rows& rows) {
  if (!ids_) ids_ = ids();
  auto [number, window] = windows_.take();
  awaited_windows_.erase(number);
  if (is_too_old(number)) {
    dropped_ += window.events;
    return;
  }
  std::uint8_t& times = closed_[static_cast<std::uint64_t>(number)];
  late_ += times != 0;
  if (times == kMostTimes) {
    dropped_ += window.events;
    return;
  }
  events_ += window.events;
  lost_ += window.lost;
  const FactCounts before(rows);
  maker_.add(number, window, times++, *ids_, meaning(), rows);
  if (mute_.erase(number) != 0) before.cut(rows);
  forget_old_windows(number);
}

void Aggregator::finish() {
  if (!windows_.has_clock()) return;
  walk_.finish(calls_);
  Rows rows;
  while (!windows_.open().empty()) close_one(rows);
  maker_.end_minutes(INT64_MAX, ids(), rows);
  awaited_minutes_.clear();
  send(std::move(rows), true);
}

void Aggregator::send(Rows rows, bool last) {
  if (!told_series_ || last) {
    const warehouse::Labels labels = finder_.labels();
    warehouse::Series row;
    const SeriesIds now = ids();
    row.series = now.series;
    row.service = now.service;
    row.grp = warehouse::group_id(labels, options_.seed);
    row.service_name = labels.service;
    row.version = labels.version;
    row.host = labels.host;
    row.instance = labels.instance;
    row.runtime = labels.runtime;
    row.agent = labels.agent;
    for (const auto& [name, value] : labels.free) {
      row.label_names.push_back(name);
      row.label_values.push_back(value);
    }
    row.first = static_cast<std::uint32_t>(std::max<Time>(first_wall_, 0) / kSecond);
    row.last = static_cast<std::uint32_t>(std::max<Time>(last_wall_, 0) / kSecond);
    rows.of<warehouse::Series>().push_back(std::move(row));
    told_series_ = true;
  }
  sink_(std::move(rows));
}

SeriesIds Aggregator::ids() const {
  if (ids_) return *ids_;
  const warehouse::Labels labels = finder_.labels();
  return {warehouse::series_id(labels, options_.seed),
          warehouse::service_id(labels.service, options_.seed), options_.stream};
}

Meaning Aggregator::meaning() const {
  Meaning meaning{slicer_.names(), {&calls_.tree}};
  for (std::size_t i = 1; i < Window::kCarriers; ++i)
    meaning.trees[i] = &happenings_.tree(static_cast<Carrier>(i));
  return meaning;
}

std::vector<std::string> Aggregator::limits() const { return calls_.tree.limits(); }

}  // namespace polytrace::collector
