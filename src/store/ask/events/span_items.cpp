// SPDX-License-Identifier: Apache-2.0
#include "store/ask/events/span_items.hpp"

#include <algorithm>

#include "base/codes.hpp"
#include "base/slot.hpp"
#include "store/ask/events/intervals.hpp"

namespace polytrace::store {
namespace {

using base::Time;
using event::Kind;
using slice::SpanKind;

constexpr u64 kNothing = ~u64{0};

bool meets(const SpanItem& item, const Range& range) {
  return item.start < range.to && item.end >= range.from;
}

// The waits of threads, and what of their time was neither.
class Waits {
 public:
  Waits(const IndexFrames& frames, const Range& range) : frames_(frames), range_(range) {}

  base::result<void> collect(const SpanTaker& take) {
    if (auto read = gather(SpanKind::lock, locks_); !read) return read;
    for (std::vector<SpanItem>& locks : locks_) std::ranges::sort(locks, {}, &SpanItem::start);
    if (auto read = gather(SpanKind::wait, waits_); !read) return read;
    for (std::uint32_t thread = 0; thread < locks_.size(); ++thread)
      for (const SpanItem& lock : locks_[thread]) tell(thread, lock, take);
    for (std::uint32_t thread = 0; thread < waits_.size(); ++thread)
      for (const SpanItem& wait : waits_[thread]) tell_unblocked(thread, wait, take);
    return {};
  }

 private:
  using ByThread = std::vector<std::vector<SpanItem>>;

  base::result<void> gather(SpanKind kind, ByThread& into) {
    const std::uint32_t name = kind == SpanKind::lock ? kBlocked : kWaiting;
    // Whole ones: what is told of a stretch is its whole duration.
    Range whole;
    whole.threads = range_.threads;
    whole.stop = range_.stop;
    auto read = intervals(frames_, kind, whole, {}, [&](const Interval& one) {
      if (one.how == Interval::How::cut || ++count_ > kMostWaits) return;
      base::slot(into, one.thread).push_back({one.start, one.end, 0, name, one.row});
    });
    if (read && count_ > kMostWaits) return base::fail(base::Code::limit_exceeded, "waits");
    return read;
  }
  void tell(std::uint32_t thread, const SpanItem& item, const SpanTaker& take) const {
    if (meets(item, range_)) take(thread, item);
  }
  // What of a wait lies in no lock wait.
  void tell_unblocked(std::uint32_t thread, SpanItem wait, const SpanTaker& take) const {
    static const std::vector<SpanItem> kNone;
    const auto& locks = thread < locks_.size() ? locks_[thread] : kNone;
    auto lock = std::ranges::lower_bound(locks, wait.start, {}, &SpanItem::end);
    const Time end = wait.end;
    bool any = false;
    for (; lock != locks.end() && lock->start <= end; ++lock) {
      if (lock->start == lock->end) continue;  // not even for a moment
      if (lock->start > wait.start) {
        wait.end = lock->start;
        tell(thread, wait, take);
        any = true;
      }
      any = any || lock->end > wait.start;
      wait.start = std::max(wait.start, lock->end);
    }
    wait.end = end;
    if (wait.start < end || !any) tell(thread, wait, take);
  }

  const IndexFrames& frames_;
  const Range& range_;
  ByThread locks_, waits_;
  std::size_t count_ = 0;
};

// Spans of one kind as they are.
base::result<void> collect_intervals(const IndexFrames& frames, SpanKind kind, const Range& range,
                                     const SpanTaker& take) {
  return intervals(frames, kind, range, {}, [&](const Interval& one) {
    SpanItem item{one.start, one.end, one.depth, static_cast<std::uint32_t>(one.subject), one.row};
    if (kind == SpanKind::stop) item.name = 0;
    if (kind == SpanKind::collection) item.row = std::min(item.name, kMostGeneration);
    if (kind == SpanKind::collection && one.subject == kNothing) item.row = 0;
    take(kind == SpanKind::compilation ? one.thread : kNoIndex, item);
  });
}

// Rows as instants: of the kind's `fields`, the first is the thread. `accept`: by page and row.
template <class Accept>
base::result<void> collect_marks(const IndexFrames& frames, Kind kind, MarkName mark,
                                 const Range& range, std::vector<u16> fields, Accept accept,
                                 const SpanTaker& take) {
  fields.push_back(kTimeField);
  Range asked = range;
  asked.threads.clear();
  std::vector<std::uint32_t> threads = range.threads;
  std::ranges::sort(threads);
  return scan_rows(frames, kind, asked, fields, [&](const RowPage& page) {
    for (std::size_t i = 0; i < page.rows.size(); ++i) {
      const auto thread = static_cast<std::uint32_t>(page.columns[0][i]);
      if (!threads.empty() && !std::ranges::binary_search(threads, thread)) continue;
      const auto time = static_cast<Time>(page.columns.back()[i]);
      SpanItem item{time, time, mark, mark, page.rows[i]};
      if (accept(page, i, item)) take(thread, item);
    }
  });
}

// A loss may tell from when to when, and be told at any time.
base::result<void> collect_losses(const IndexFrames& frames, const Range& range,
                                  const SpanTaker& take) {
  Range whole;
  whole.threads = range.threads;
  whole.stop = range.stop;
  const std::vector<u16> fields{kThreadField, field_number(Kind::Lost, "from"),
                                field_number(Kind::Lost, "to")};
  const auto none = [](u16 field) { return none_of(Kind::Lost, field); };
  return collect_marks(
      frames, Kind::Lost, kLostMark, whole, fields,
      [&](const RowPage& page, std::size_t row, SpanItem& item) {
        const u64 from = page.columns[1][row], to = page.columns[2][row];
        if (from != none(fields[1])) item.start = static_cast<Time>(from);
        item.end = std::max(item.start, to != none(fields[2]) ? static_cast<Time>(to) : item.end);
        return meets(item, range);
      },
      take);
}

base::result<void> collect_all_marks(const IndexFrames& frames, const Range& range,
                                     const SpanTaker& take) {
  const auto any = [](const RowPage&, std::size_t, SpanItem&) { return true; };
  const auto passed = [](const RowPage& page, std::size_t row, SpanItem&) {
    return page.columns[1][row] != static_cast<u64>(event::SampleMode::change);
  };
  auto done = collect_marks(frames, Kind::Throw, kExceptionMark, range, {kThreadField}, any, take);
  if (done)
    done = collect_marks(frames, Kind::Sample, kSampleMark, range,
                         {kSubjectField, field_number(Kind::Sample, "mode")}, passed, take);
  if (done) done = collect_marks(frames, Kind::Note, kNoteMark, range, {kThreadField}, any, take);
  if (done) done = collect_losses(frames, range, take);
  return done;
}

}  // namespace

base::result<void> collect_spans(const IndexFrames& frames, Family family, const Range& range,
                                 const SpanTaker& take) {
  switch (family) {
    case Family::waits: return Waits(frames, range).collect(take);
    case Family::compilations: return collect_intervals(frames, SpanKind::compilation, range, take);
    case Family::marks: return collect_all_marks(frames, range, take);
    case Family::pauses: return collect_intervals(frames, SpanKind::stop, range, take);
    case Family::collections: return collect_intervals(frames, SpanKind::collection, range, take);
    case Family::calls: break;
  }
  return base::fail(base::Code::value_unexpected, "calls are no spans");
}

std::uint64_t rows_behind(const IndexFrames& frames, Family family) {
  const auto rows = [&](std::initializer_list<Kind> kinds) {
    std::uint64_t sum = 0;
    for (const Kind kind : kinds)
      if (const auto all = frames.segments(kind); !all.empty())
        sum += all.back().first_row + all.back().rows;
    return sum;
  };
  switch (family) {
    case Family::waits: return rows({Kind::Monitor, Kind::Wait});
    case Family::compilations: return rows({Kind::Jit});
    case Family::marks: return rows({Kind::Throw, Kind::Sample, Kind::Note, Kind::Lost});
    case Family::pauses:
    case Family::collections: return rows({Kind::Gc});
    case Family::calls: break;
  }
  return 0;
}

}  // namespace polytrace::store
