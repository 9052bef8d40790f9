// SPDX-License-Identifier: Apache-2.0
#include "store/ask/events/told_counts.hpp"

#include <algorithm>

#include "event/details.hpp"
#include "store/ask/events/row_scan.hpp"

namespace polytrace::store {
namespace {

using event::Kind;

bool heads(Kind kind) { return event::role_of(kind) == event::Role::heading; }

class CountSearch {
 public:
  explicit CountSearch(const IndexFrames& frames) : frames_(frames) {}

  base::result<std::optional<ToldCounts>> search() {
    const auto span = told_span(frames_);
    if (!span) return base::Unexpected(span.error());
    if (!*span || frames_.thread_wholes().size() < frames_.threads()) return std::nullopt;
    for (const ThreadWhole& thread : frames_.thread_wholes())
      counts_.threads.push_back({thread.events, {thread.first, thread.last}});
    count_rows();
    for (auto step : {&CountSearch::count_calls, &CountSearch::leave_headings_out})
      if (auto done = (this->*step)(); !done) return base::Unexpected(done.error());
    return fits_ ? std::optional(std::move(counts_)) : std::nullopt;
  }

 private:
  std::uint64_t& of(Kind kind) { return counts_.kinds[static_cast<std::size_t>(kind)]; }

  void count_rows() {
    for (std::size_t i = 0; i < event::kKindCount; ++i) {
      // Rows of calls have more of what blocks count.
      if (event::is_call(static_cast<Kind>(i))) continue;
      for (const IndexFrames::Segment& segment : frames_.segments(static_cast<Kind>(i)))
        counts_.kinds[i] += segment.rows;
    }
  }
  base::result<void> count_calls() {
    for (std::uint32_t thread = 0; thread < frames_.threads(); ++thread) {
      auto calls = told_calls(frames_, thread);
      if (!calls) return base::Unexpected(calls.error());
      of(Kind::Enter) += calls->enters;
      of(Kind::Leave) += calls->leaves;
      of(Kind::Unwind) += calls->unwinds;
    }
    return {};
  }

  base::result<void> leave_headings_out() {
    std::vector<std::uint64_t> headings(counts_.threads.size());
    for (std::size_t i = 0; i < event::kKindCount; ++i)
      if (heads(static_cast<Kind>(i)))
        if (auto done = count_threads(static_cast<Kind>(i), headings); !done) return done;
    for (std::uint32_t thread = 0; thread < headings.size(); ++thread)
      counts_.threads[thread].events -= headings[thread];
    return {};
  }
  base::result<void> count_threads(Kind kind, std::vector<std::uint64_t>& of_threads) {
    return scan_rows(frames_, kind, {}, {kThreadField}, [&](const RowPage& page) {
      for (const u64 thread : page.columns[0]) {
        if (thread >= of_threads.size()) fits_ = false;
        else ++of_threads[thread];
      }
    });
  }

  const IndexFrames& frames_;
  ToldCounts counts_;
  bool fits_ = true;
};

}  // namespace

base::result<std::optional<ToldCounts>> told_counts(const IndexFrames& frames) {
  return CountSearch(frames).search();
}

}  // namespace polytrace::store
