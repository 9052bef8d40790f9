// SPDX-License-Identifier: Apache-2.0
#include "service/input/told.hpp"

#include "store/ask/events/told_counts.hpp"
#include "store/read/events/stream_cursors.hpp"
#include "store/store.hpp"

namespace polytrace::service {
namespace {

using event::Kind;

// Those that an overview learns from, of which a trace has few.
constexpr std::array kTelling{Kind::Thread, Kind::Process, Kind::Clock, Kind::Recording,
                              Kind::Setting};
constexpr std::uint64_t kBatchRows = 4096;

base::result<void> tell_rows(const store::IndexFrames& frames, Kind kind,
                             OverviewConsumer& consumer) {
  event::Batch batch;
  for (const auto& segment : frames.segments(kind)) {
    const auto cursor = store::RowCursor::at(frames, kind, segment.first_row);
    if (!cursor) return base::Unexpected(cursor.error());
    for (std::uint64_t row = 0; row < segment.rows; ++row) {
      (*cursor)->add(segment.first_row + row, frames, batch);
      if (row + 1 != segment.rows && (row + 1) % kBatchRows != 0) continue;
      consumer.consume(batch);
      batch.clear();
    }
  }
  return {};
}

}  // namespace

Passed told_pass(const store::Store& store) {
  Passed passed;
  passed.outcome = {store.notes().tally, store.notes().notices, std::nullopt};
  passed.notices = store.notes().notices.sorted();
  return passed;
}

base::result<std::optional<Overview>> told_overview(const store::Store& store) {
  const store::IndexFrames& frames = store.frames();
  const auto told = store::told_counts(frames);
  if (!told) return base::Unexpected(told.error());
  if (!*told) return std::nullopt;
  OverviewConsumer consumer;
  for (const Kind kind : kTelling)
    if (auto done = tell_rows(frames, kind, consumer); !done) return base::Unexpected(done.error());
  std::vector<ThreadSpan> threads;
  for (std::size_t i = 0; i < (*told)->threads.size(); ++i) {
    const store::ThreadCounts& counts = (*told)->threads[i];
    if (counts.events != 0)
      threads.push_back({.id = frames.thread(i),
                         .events = counts.events,
                         .first = counts.span.first,
                         .last = counts.span.last});
  }
  consumer.count((*told)->kinds, threads);
  return consumer.take();
}

}  // namespace polytrace::service
