// SPDX-License-Identifier: Apache-2.0
#include "collector/aggregate/aggregator.hpp"

#include <fmt/format.h>

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

}  // namespace

Aggregator::Aggregator(AggregatorOptions options, Sink sink)
    : options_(std::move(options)),
      sink_(std::move(sink)),
      windows_(options_.accepted),
      finder_(options_.labels),
      frames_(options_.seed, options_.novelty),
      maker_(frames_, windows_, options_.most_rows),
      calls_(windows_, options_.most_nodes),
      walk_(slice::Selection{}),
      happenings_(windows_, options_.most_nodes) {
  slicer_.follow_calls(slice::Slicer::Follower::first_walk, options_.most_nodes);
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
    if (slice.sites == nullptr) return;
    site_nodes_ = slice.sites->stacks.size();
    slice.sites->by_event = {};  // 8 bytes an event, and streams are many
  });
  if (goes_on && windows_.has_clock()) close_what_passed(latest_);
  return goes_on;
}

// The first clock counts: windows of one trace stay in one order.
bool Aggregator::set_clock(const slice::Slice& slice) {
  if (windows_.has_clock()) return true;
  Time first = base::kNoTime;
  for (const slice::Run& run : slice.runs)
    for (std::uint32_t i = run.begin; i < run.end; ++i) {
      const event::Event& event = slice.batch.events[i];
      if (Happened::is_one(event) && (first == base::kNoTime || event.time < first))
        first = event.time;
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
  const auto note = [&](Time first, Time last) {
    const Time wall = windows_.wall(first);
    latest_ = std::max(latest_, last);
    first_wall_ = first_wall_ == base::kNoTime ? wall : std::min(first_wall_, wall);
    last_wall_ = std::max(last_wall_, windows_.wall(last));
  };
  for (const slice::Run& run : slice.runs) {
    const Happened all = Happened::in(run, slice.batch);
    if (all.events == 0) continue;
    if (windows_.of_both(all.first, all.last) != nullptr) {
      note(all.first, all.last);
      continue;
    }
    for (std::uint32_t i = run.begin; i < run.end; ++i) {
      const event::Event& event = slice.batch.events[i];
      if (Happened::is_one(event) && windows_.at(event.time) != nullptr)
        note(event.time, event.time);
    }
  }
}

void Aggregator::close_what_passed(Time until) {
  std::size_t figures = 0;
  for (const auto& [number, window] : windows_.open()) figures += window.size();
  Rows rows;
  std::int64_t closed = -1;
  while (!windows_.open().empty()) {
    const auto& [number, window] = *windows_.open().begin();
    const Time end = windows_.end_of(number);
    const bool passed = until != base::kNoTime &&
                        base::elapsed(end, until) >= static_cast<std::uint64_t>(options_.lag) &&
                        end < until;
    if (!passed && figures <= options_.most_open) break;
    figures -= std::min(figures, window.size());
    closed = number;
    if (options_.live) calls_.advance(end);
    close_one(rows);
  }
  if (options_.live) end_minutes(std::max(closed, last_passed(until)), rows);
  else if (closed >= 0) end_minutes(closed, rows);
  if (closed >= 0 || rows.size() != 0) send(std::move(rows), false);
}

// The last window that ended long enough before, whether or not it was open.
std::int64_t Aggregator::last_passed(Time until) const {
  if (until == base::kNoTime) return -1;
  const Time wall = windows_.wall(until);
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
  close_what_passed(std::max(latest_, windows_.time_at(wall)));
}

void Aggregator::note_arrival(Time now) {
  if (last_wall_ == base::kNoTime) return;
  const Time ahead = last_wall_ - now;
  skew_ = skew_ == base::kNoTime ? ahead : std::max(skew_, ahead);
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
  if (!ids_) {
    ids_ = ids();
    is_one_too_many_ = options_.novelty != nullptr &&
                       !options_.novelty->admits(Novelty::Kind::program, ids_->series);
  }
  auto [number, window] = windows_.take();
  awaited_windows_.erase(number);
  if (is_too_old(number)) {
    dropped_ += window.events;
    return;
  }
  const auto [at, is_first] = closed_.try_emplace(static_cast<std::uint64_t>(number), first_gen_);
  std::uint8_t& times = at.value();
  late_ += !is_first;
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
    warehouse::Labels labels = finder_.labels();
    const SeriesIds now = ids();
    const std::uint64_t group = warehouse::group_id(labels, options_.seed);
    labels.free = shown(labels.free);
    rows.of<warehouse::Series>().push_back(
        series_row(labels, now.series, now.service, group, {first_wall_, last_wall_, skew_}));
    told_series_ = true;
  }
  sink_(std::move(rows));
}

// Labels whose names are too many are one. Who they are of is told apart by its number alone then.
LabelList Aggregator::shown(const LabelList& labels) {
  LabelList all;
  std::size_t many = 0;
  for (const auto& label : labels) {
    const bool admitted =
        options_.novelty == nullptr ||
        options_.novelty->admits(Novelty::Kind::label_name, base::SeededHash()(label.first));
    if (admitted) all.push_back(label);
    else ++many;
  }
  if (many != 0) all.emplace_back("(many)", fmt::to_string(many));
  return all;
}

std::size_t Aggregator::bytes() const {
  constexpr std::size_t kEmpty = 64 << 10;
  constexpr std::size_t kThread = 300;
  constexpr std::size_t kNode = 64;    // with its place in the index, and as people see it
  constexpr std::size_t kFigure = 80;  // in a table that is half full
  constexpr std::size_t kName = 100;
  std::size_t nodes = calls_.tree.size() + site_nodes_;
  for (std::size_t i = 1; i < Window::kCarriers; ++i)
    nodes += happenings_.tree(static_cast<Carrier>(i)).size();
  std::size_t figures = maker_.figures();
  for (const auto& [number, window] : windows_.open()) figures += window.size();
  return kEmpty + nodes * kNode + figures * kFigure + names().threads().size() * kThread +
         (names().methods().size() + names().classes().size()) * kName +
         open_calls() * sizeof(CallTimes::Frame);
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
