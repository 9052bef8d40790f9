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
      calls_.push_back(*calls);
    }
    return {};
  }

  base::result<void> leave_headings_out() {
    std::vector<std::uint64_t> headings(counts_.threads.size());
    for (std::size_t i = 0; i < event::kKindCount; ++i)
      if (heads(static_cast<Kind>(i)))
        if (auto done =
                scan(static_cast<Kind>(i), {}, [&](u64 thread, base::Time) { ++headings[thread]; });
            !done)
          return done;
    for (std::uint32_t thread = 0; thread < headings.size(); ++thread) {
      if (headings[thread] == 0) continue;
      counts_.threads[thread].events -= headings[thread];
      if (auto done = find_span(thread); !done) return done;
    }
    return {};
  }
  // Of a thread's calls and of its rows that head nothing, which mostly are few of small kinds.
  base::result<void> find_span(std::uint32_t thread) {
    ThreadCounts& counts = counts_.threads[thread];
    counts.span = {base::kNoTime, base::kNoTime};
    std::uint64_t left = counts.events;
    if (thread < calls_.size() && calls_[thread].span) {
      const ToldCalls& calls = calls_[thread];
      counts.span = *calls.span;
      left -= calls.enters + calls.leaves + calls.unwinds;
    }
    for (const Kind kind : by_rows()) {
      if (left == 0) break;
      auto done = scan(kind, {thread}, [&](u64, base::Time time) {
        if (counts.span.first == base::kNoTime) counts.span = {time, time};
        else counts.span.extend(time);
        --left;
      });
      if (!done) return done;
    }
    fits_ = fits_ && left == 0;
    return {};
  }
  std::vector<Kind> by_rows() {
    std::vector<Kind> kinds;
    for (std::size_t i = 0; i < event::kKindCount; ++i)
      if (const auto kind = static_cast<Kind>(i); !heads(kind) && !event::is_call(kind))
        kinds.push_back(kind);
    std::ranges::stable_sort(kinds, {}, [&](Kind kind) { return of(kind); });
    return kinds;
  }
  // `threads`: none are all.
  template <class Visit>
  base::result<void> scan(Kind kind, std::vector<std::uint32_t> threads, Visit visit) {
    return scan_rows(frames_, kind, {.threads = std::move(threads)}, {kThreadField, kTimeField},
                     [&](const RowPage& page) {
                       for (std::size_t i = 0; i < page.rows.size(); ++i) {
                         const u64 thread = page.columns[0][i];
                         if (thread >= counts_.threads.size()) fits_ = false;
                         else visit(thread, static_cast<base::Time>(page.columns[1][i]));
                       }
                     });
  }

  const IndexFrames& frames_;
  ToldCounts counts_;
  std::vector<ToldCalls> calls_;  // by thread
  bool fits_ = true;
};

}  // namespace

base::result<std::optional<ToldCounts>> told_counts(const IndexFrames& frames) {
  return CountSearch(frames).search();
}

}  // namespace polytrace::store
