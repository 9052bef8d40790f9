// SPDX-License-Identifier: Apache-2.0
#include "slice/slicer.hpp"
#include "base/slot.hpp"

#include <algorithm>

namespace polytrace::slice {

using event::Event;

namespace {

// From when to when the events of a stretch are, without those that head the trace: these have no
// time of their own.
class MomentSpan {
 public:
  MomentSpan(const event::Spine& events, std::uint32_t from, std::uint32_t to)
      : events_(events), from_(from), to_(to), span_{base::kNoTime, base::kNoTime, to - from} {
    add(from);
    add(to - 1);
  }
  // Of what is no call. Calls are looked at only where they begin and end: here, beside a heading.
  void add_other(std::uint32_t i) {
    if (!heads(i)) return add(i);
    if (i > from_) add(i - 1);
    if (i + 1 < to_) add(i + 1);
  }
  const Names::Stretch& span() const { return span_; }

 private:
  bool heads(std::uint32_t i) const {
    return event::role_of(events_[i].kind) == event::Role::heading;
  }
  void add(std::uint32_t i) {
    if (heads(i)) return;
    if (span_.first == base::kNoTime) span_.first = span_.last = events_[i].time;
    else span_.extend(events_[i].time);
  }

  const event::Spine& events_;
  std::uint32_t from_, to_;
  Names::Stretch span_;
};

}  // namespace

Slicer::Slicer() = default;
Slicer::~Slicer() = default;

void Slicer::scan(const event::Batch& batch) {
  others_.clear();
  definitions_.clear();
  runs_.clear();
  event::leap_over_calls(
      batch.events,
      [&](std::uint32_t begin, std::uint32_t end) {
        for (std::uint32_t i = begin; i != end; ++i) scan_one(batch.events[i], i);
      },
      [&](const event::CallSpan& calls) {
        extend_runs(batch.events[calls.begin].thread, calls.begin, calls.end);
      });
  begin_ = end_ = learned_to_ = 0;
  definitions_taken_ = others_begin_ = others_end_ = first_run_ = 0;
  threads_.assign(batch.threads.size(), NameTable::kNone);
}

void Slicer::extend_runs(std::uint16_t thread, std::uint32_t begin, std::uint32_t end) {
  if (runs_.empty() || runs_.back().thread != thread) runs_.push_back({begin, end, thread});
  runs_.back().end = end;
}

void Slicer::scan_one(const Event& event, std::uint32_t index) {
  extend_runs(event.thread, index, index + 1);
  if (event::is_call(event.kind)) return;
  others_.push_back(index);
  if (Names::is_definition(event.kind)) definitions_.push_back(index);
}

bool Slicer::next(const event::Batch& batch) {
  if (end_ == batch.events.size()) return false;
  begin_ = end_;
  if (end_ == learned_to_) learn(batch);
  end_ = learned_to_;
  stop_at_ends(batch);
  others_begin_ = others_end_;
  const auto behind = std::lower_bound(others_.begin() + static_cast<std::ptrdiff_t>(others_begin_),
                                       others_.end(), end_);
  others_end_ = static_cast<std::size_t>(behind - others_.begin());
  number_threads(batch);
  return true;
}

// Up to where every id means one thing.
void Slicer::learn(const event::Batch& batch) {
  const auto rest = std::span(definitions_).subspan(definitions_taken_);
  const Names::Learned learned = names_.learn(batch, rest, begin_);
  definitions_taken_ += learned.taken;
  if (learned.thread_ended) learned_to_ = rest[learned.taken - 1] + 1;
  else if (learned.taken < rest.size()) learned_to_ = rest[learned.taken];
  else learned_to_ = static_cast<std::uint32_t>(batch.events.size());
}

// An id is another thread's from the first event on that is not before the end of the one before:
// there a slice ends, unless it has nothing of the one before.
void Slicer::stop_at_ends(const event::Batch& batch) {
  for (std::size_t i = first_run_; i < runs_.size() && runs_[i].begin < end_; ++i) {
    const base::Time ended = names_.end_of(batch.threads[runs_[i].thread]);
    if (ended == Names::kNever) continue;
    const std::uint32_t from = std::max(runs_[i].begin, begin_);
    std::uint32_t next = from;
    while (next < std::min(runs_[i].end, end_) && batch.events[next].time < ended) ++next;
    const auto same = [&](const Run& run) { return run.thread == runs_[i].thread; };
    const auto earlier = std::span(runs_).subspan(first_run_, i - first_run_);
    if (next != from || std::ranges::any_of(earlier, same)) end_ = std::min(end_, next);
  }
}

void Slicer::number_threads(const event::Batch& batch) {
  slice_runs_.clear();
  auto other = others_in_slice().begin();
  for (; first_run_ < runs_.size() && runs_[first_run_].begin < end_; ++first_run_) {
    const Run& run = runs_[first_run_];
    const std::uint32_t from = std::max(run.begin, begin_);
    const std::uint32_t to = std::min(run.end, end_);
    MomentSpan moments(batch.events, from, to);
    for (; other != others_in_slice().end() && *other < to; ++other) moments.add_other(*other);
    const std::uint32_t index =
        names_.see(batch.threads[run.thread], batch.events[from].time, moments.span());
    threads_[run.thread] = index;
    slice_runs_.push_back({from, to, index});
    if (run.end > end_) break;  // the rest of it is the next slice's
  }
}

void Slicer::begin_sites(const event::Batch& batch) {
  sites_.by_event.resize(batch.events.size());
  for (const std::uint32_t i : others_in_slice()) sites_.by_event[i] = {};
  sites_.found = false;
  if (follower_ == Follower::slicer) find_sites(batch);
}

void Slicer::find_sites(const event::Batch& batch) {
  const std::span events(batch.events.data(), batch.events.size());
  const auto others = others_in_slice();
  auto other = others.begin();
  for (const Run& run : slice_runs_) {
    LiveStack& calls = base::slot(calls_, run.thread);
    std::uint32_t at = run.begin;
    for (; other != others.end() && *other < run.end; ++other) {
      calls.follow(batch, events.subspan(at, *other - at), account_);
      at = *other + 1;
      sites_.find(calls.open(), events[*other], *other, names_);
    }
    calls.follow(batch, events.subspan(at, run.end - at), account_);
  }
  sites_.found = true;
}

}  // namespace polytrace::slice
