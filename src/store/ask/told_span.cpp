// SPDX-License-Identifier: Apache-2.0
#include "store/ask/told_span.hpp"

#include <algorithm>

#include "event/details.hpp"

namespace polytrace::store {
namespace {

bool is_heading(event::Kind kind) { return event::role_of(kind) == event::Role::heading; }

class SpanSearch {
 public:
  explicit SpanSearch(const IndexFrames& frames) : frames_(frames) {}

  base::result<std::optional<TimeSpan>> search() {
    if ((frames_.view().head().required & kLateTimes) != 0 || frames_.thread_wholes().empty())
      return std::nullopt;
    if (auto looked = look_at_rows(); !looked) return base::Unexpected(looked.error());
    for (std::uint32_t i = 0; i < frames_.thread_wholes().size(); ++i) {
      const ThreadWhole& thread = frames_.thread_wholes()[i];
      if (std::ranges::find(heading_threads_, i) == heading_threads_.end()) {
        if (thread.events != 0) extend(thread.first, thread.last);
        continue;
      }
      // When it has only headings, its times are none of the trace.
      const auto calls = told_calls(frames_, i);
      if (!calls) return base::Unexpected(calls.error());
      if (calls->span) extend(calls->span->first, calls->span->last);
    }
    return span_;
  }

 private:
  void extend(base::Time first, base::Time last) {
    if (!span_) span_ = {first, last};
    span_->extend(first);
    span_->extend(last);
  }
  base::result<void> look_at_rows() {
    for (std::size_t i = 0; i < event::kKindCount; ++i) {
      const auto kind = static_cast<event::Kind>(i);
      for (const IndexFrames::Segment& segment : frames_.segments(kind)) {
        const Entry& entry = frames_.view().entries()[segment.entry];
        if (!is_heading(kind)) extend(entry.least, entry.greatest);
        else if (auto looked = look_at_headings(segment); !looked) return looked;
      }
    }
    return {};
  }
  base::result<void> look_at_headings(const IndexFrames::Segment& segment) {
    const auto payload = frames_.view().payload(segment.entry);
    if (!payload) return base::Unexpected(payload.error());
    auto view = RowView::open(*payload);
    if (!view) return base::Unexpected(view.error());
    const auto threads = view->numbers(kThreadField);
    if (!threads) return base::Unexpected(threads.error());
    for (const u64 thread : *threads)
      if (std::ranges::find(heading_threads_, thread) == heading_threads_.end())
        heading_threads_.push_back(static_cast<std::uint32_t>(thread));
    return {};
  }

  const IndexFrames& frames_;
  std::optional<TimeSpan> span_;
  std::vector<std::uint32_t> heading_threads_;
};

}  // namespace

base::result<std::optional<TimeSpan>> told_span(const IndexFrames& frames) {
  return SpanSearch(frames).search();
}

}  // namespace polytrace::store
