// SPDX-License-Identifier: Apache-2.0
#include "store/ask/events/intervals.hpp"

#include <algorithm>
#include <map>

#include "base/slot.hpp"

namespace polytrace::store {
namespace {

using base::Time;
using base::Unexpected;
using event::Kind;
using slice::SpanEdge;
using slice::SpanKind;
using How = Interval::How;

constexpr u64 kNone = ~u64{0};
// Columns that pairing needs stand before those that were asked for.
enum PairColumn : std::size_t { kTimes, kThreads, kSubjects, kStages, kOthers, kAsked };

// The field that tells which end of a span a row is.
std::string_view stage_of(Kind kind) { return kind == Kind::Gc ? "phase" : "stage"; }
// Of a compilation whose method is not told; of a collection.
std::string_view other_of(Kind kind) {
  if (kind == Kind::Gc) return "generation";
  return kind == Kind::Jit ? "runtime_id" : "stage";
}

std::vector<u16> columns_for(Kind kind, const std::vector<u16>& asked) {
  std::vector<u16> columns{kTimeField, kThreadField, kSubjectField,
                           field_number(kind, stage_of(kind)), field_number(kind, other_of(kind))};
  columns.insert(columns.end(), asked.begin(), asked.end());
  return columns;
}

template <class Stage>
std::optional<SpanEdge> edge_at(u64 stage) {
  return slice::span_edge(static_cast<Stage>(stage), base::kNoId);
}

std::optional<SpanEdge> edge_of(Kind kind, u64 stage) {
  switch (kind) {
    case Kind::Jit: return edge_at<event::JitStage>(stage);
    case Kind::ClassLoad: return edge_at<event::LoadStage>(stage);
    case Kind::Monitor: return edge_at<event::MonitorStage>(stage);
    case Kind::Wait: return edge_at<event::WaitStage>(stage);
    case Kind::Finalize: return edge_at<event::FinalizeStage>(stage);
    default: return {};
  }
}

bool nests(SpanKind kind) {
  return kind == SpanKind::compilation || kind == SpanKind::code_search ||
         kind == SpanKind::class_load;
}

void take_values(const RowPage& page, std::size_t row, std::vector<u64>& values) {
  values.clear();
  for (std::size_t i = kAsked; i < page.columns.size(); ++i) values.push_back(page.columns[i][row]);
}

bool meets(const Interval& interval, const Range& range) {
  return interval.start < range.to && interval.end >= range.from;
}

// Pairs the rows of threads, one thread's independent of another's.
class Pairing {
 public:
  Pairing(const IndexFrames& frames, SpanKind kind, const Range& range,
          const IntervalVisitor& visit)
      : frames_(frames), kind_(kind), range_(range), visit_(visit) {}

  void take(const RowPage& page) {
    const Kind rows = rows_of(kind_);
    for (std::size_t i = 0; i < page.rows.size(); ++i) {
      const auto edge = edge_of(rows, page.columns[kStages][i]);
      if (!edge || edge->kind != kind_) continue;
      const auto thread = static_cast<std::uint32_t>(page.columns[kThreads][i]);
      const auto time = static_cast<Time>(page.columns[kTimes][i]);
      Spans& spans = base::slot(threads_, thread);
      if (edge->begins()) begin(page, i, thread, time, spans);
      else end(page, i, thread, time, *edge, spans);
    }
  }
  void finish() {
    for (std::uint32_t thread = 0; thread < threads_.size(); ++thread) {
      const Time last = frames_.entities().of(EntitySort::thread, thread).last;
      const auto& open = threads_[thread].open();
      for (std::size_t depth = 0; depth < open.size(); ++depth)
        tell(open[depth], thread, depth, last, How::open);
    }
  }

 private:
  struct Open {
    u64 subject;  // what an end has in common with it
    u64 told;
    Time start;
    u64 row;
    std::vector<u64> values;
  };
  using Spans = slice::NestedSpans<Open>;

  // Where spans do not nest, any end is that of the one that is open.
  u64 key_of(const RowPage& page, std::size_t row) const {
    constexpr u64 kByRuntime = u64{1} << 63;
    if (!nests(kind_)) return 0;
    const u64 subject = page.columns[kSubjects][row];
    if (subject != kNone || rows_of(kind_) != Kind::Jit) return subject;
    return page.columns[kOthers][row] | kByRuntime;
  }
  void begin(const RowPage& page, std::size_t row, std::uint32_t thread, Time time, Spans& spans) {
    if (!nests(kind_))
      if (const auto lost = spans.end(u64{0})) tell(*lost, thread, 0, time, How::cut);
    Open open{key_of(page, row), page.columns[kSubjects][row], time, page.rows[row], {}};
    take_values(page, row, open.values);
    // As deep as spans are kept: it began, and that is all.
    const std::size_t depth = spans.open().size();
    if (!spans.begin(open)) tell(open, thread, depth, time, How::cut);
  }
  void end(const RowPage& page, std::size_t row, std::uint32_t thread, Time time,
           const SpanEdge& edge, Spans& spans) {
    const auto cut = [&](const Open& inner, std::size_t depth) {
      tell(inner, thread, depth, time, How::cut);
    };
    const auto begun = spans.end(key_of(page, row), cut);
    if (!begun) return;
    take_values(page, row, ended_);
    tell(*begun, thread, spans.open().size(), time, edge.fails() ? How::failed : How::ended);
  }
  void tell(const Open& span, std::uint32_t thread, std::size_t depth, Time end, How how) {
    Interval interval{.start = span.start,
                      .end = std::max(span.start, end),
                      .thread = thread,
                      .depth = static_cast<std::uint32_t>(depth),
                      .subject = span.told,
                      .row = span.row,
                      .how = how,
                      .collection = 0,
                      .pause = {},
                      .begun = span.values,
                      .ended = {}};
    if (how == How::ended || how == How::failed) interval.ended = ended_;
    if (meets(interval, range_)) visit_(interval);
  }

  const IndexFrames& frames_;
  SpanKind kind_;
  const Range& range_;
  const IntervalVisitor& visit_;
  std::vector<Spans> threads_;  // by index
  std::vector<u64> ended_;
};

// All rows of a kind, whatever the range's time: a span may have begun at any time before.
base::result<void> scan_all(const IndexFrames& frames, Kind kind, const Range& range,
                            const std::vector<u16>& fields, const RowVisitor& visit) {
  Range whole;
  whole.stop = range.stop;
  whole.threads = range.threads;
  return scan_rows(frames, kind, whole, columns_for(kind, fields), visit);
}

event::Gc gc_of(const RowPage& page, std::size_t row) {
  event::Gc gc;
  gc.phase = static_cast<event::GcPhase>(page.columns[kStages][row]);
  gc.generation = static_cast<std::uint32_t>(page.columns[kOthers][row]);
  return gc;
}

class CollectionPairing {
 public:
  CollectionPairing(const IndexFrames& frames, const Range& range)
      : frames_(frames), range_(range) {}

  // `moved`: the column of kMovedField.
  void take(const RowPage& page, std::size_t moved) {
    for (std::size_t i = 0; i < page.rows.size(); ++i) {
      const auto thread = static_cast<std::uint32_t>(page.columns[kThreads][i]);
      const event::Gc gc = gc_of(page, i);
      const auto row = static_cast<std::uint32_t>(page.rows[i]);
      if (page.columns[moved][i] != 0) spans_.moved(thread, page.columns[moved][i]);
      event::Event event{};
      event.time = static_cast<Time>(page.columns[kTimes][i]);
      event.id = page.columns[kSubjects][i];
      event.kind = Kind::Gc;
      spans_.add(thread, event, gc, row);
      if (gc.phase == event::GcPhase::start) take_values(page, i, values_[row]);
    }
  }
  void tell(const IntervalVisitor& visit) {
    spans_.finish();
    for (const slice::Collection& one : spans_.all()) {
      if (!range_.threads.empty() &&
          std::ranges::find(range_.threads, one.thread) == range_.threads.end())
        continue;
      const bool ended = one.end != base::kNoTime;
      const Time end = ended ? one.end : frames_.entities().of(EntitySort::thread, one.thread).last;
      const Interval interval{
          .start = one.start,
          .end = std::max(one.start, end),
          .thread = one.thread,
          .depth = 0,
          .subject = one.generation == slice::kNoGeneration ? kNone : one.generation,
          .row = one.site,
          .how = ended ? How::ended : How::open,
          .collection = one.number,
          .pause = one.pause,
          .begun = std::span(values_[one.site]).first(values_[one.site].size() - 1),
          .ended = {}};
      if (meets(interval, range_)) visit(interval);
    }
  }

 private:
  const IndexFrames& frames_;
  const Range& range_;
  slice::CollectionSpans spans_;
  std::map<std::uint32_t, std::vector<u64>> values_;  // by row that begins one
};

// What ends or stops for a collection may stand in another thread.
base::result<void> collections(const IndexFrames& frames, const Range& range,
                               std::vector<u16> fields, const IntervalVisitor& visit) {
  Range whole;
  whole.stop = range.stop;
  fields.push_back(kMovedField);
  CollectionPairing pairing(frames, range);
  const std::size_t moved = kAsked + fields.size() - 1;
  auto scanned = scan_all(frames, Kind::Gc, whole, fields,
                          [&](const RowPage& page) { pairing.take(page, moved); });
  if (scanned) pairing.tell(visit);
  return scanned;
}

base::result<void> stops(const IndexFrames& frames, const Range& range,
                         const IntervalVisitor& visit) {
  const auto pauses = frames.pauses();
  if (!pauses) return Unexpected(pauses.error());
  if (*pauses == nullptr) return {};
  for (const slice::Pauses::Pause& pause : (*pauses)->all) {
    const Interval interval{.start = pause.start,
                            .end = pause.end,
                            .thread = kNoIndex,
                            .depth = 0,
                            .subject = kNone,
                            .row = kNone,
                            .how = How::ended,
                            .collection = 0,
                            .pause = {},
                            .begun = {},
                            .ended = {}};
    if (meets(interval, range)) visit(interval);
  }
  return {};
}

}  // namespace

event::Kind rows_of(slice::SpanKind kind) {
  switch (kind) {
    case SpanKind::collection:
    case SpanKind::stop: return Kind::Gc;
    case SpanKind::compilation:
    case SpanKind::code_search: return Kind::Jit;
    case SpanKind::class_load: return Kind::ClassLoad;
    case SpanKind::lock: return Kind::Monitor;
    case SpanKind::wait: return Kind::Wait;
    case SpanKind::finalizer_round:
    case SpanKind::finalizer: return Kind::Finalize;
  }
  return Kind::Gc;
}

base::result<void> intervals(const IndexFrames& frames, slice::SpanKind kind, const Range& range,
                             const std::vector<u16>& fields, const IntervalVisitor& visit) {
  if (kind == SpanKind::stop) return stops(frames, range, visit);
  if (kind == SpanKind::collection) return collections(frames, range, fields, visit);
  Pairing pairing(frames, kind, range, visit);
  auto scanned = scan_all(frames, rows_of(kind), range, fields,
                          [&](const RowPage& page) { pairing.take(page); });
  if (scanned) pairing.finish();
  return scanned;
}

}  // namespace polytrace::store
