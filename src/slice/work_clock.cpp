// SPDX-License-Identifier: Apache-2.0
#include "slice/work_clock.hpp"

#include <fmt/format.h>

#include "slice/spans.hpp"

namespace polytrace::slice {

std::string subtracted_text(const Selection& selection) {
  if (!selection.pauses && !selection.subtract_waits) return {};
  return fmt::format("without the time of {}{}{}", selection.pauses ? "collections" : "",
                     selection.pauses && selection.subtract_waits ? " and " : "",
                     selection.subtract_waits ? "waits" : "");
}

void WorkClock::take(const event::Batch& batch, const event::Event& event) {
  Waiting& waiting = threads_[now_];
  const auto edge = span_edge(batch, event);
  if (!edge) return;
  const bool is_lock = edge->kind == SpanKind::lock;
  base::Time& start = is_lock ? waiting.lock : waiting.object;
  const base::Time other = is_lock ? waiting.object : waiting.lock;
  if (edge->begins()) begin(start, event.time, waiting);
  else end(start, other, event.time, waiting);
}

// A wait inside of another one counts once. One that is told to begin again goes on.
void WorkClock::begin(base::Time& start, base::Time time, Waiting& waiting) {
  if (start != base::kNoTime) return;
  if (waiting.since == base::kNoTime) waiting.since = time;
  start = time;
}

void WorkClock::end(base::Time& start, base::Time other, base::Time time, Waiting& waiting) {
  if (start == base::kNoTime) return;
  start = base::kNoTime;
  if (other != base::kNoTime) return;
  const std::uint64_t waited = worked(waiting.since, time);
  waiting.excluded += waited;
  waited_ += waited;
  waiting.since = base::kNoTime;
}

void WorkClock::end_waits(base::Time last) {
  Waiting& waiting = threads_[now_];
  end(waiting.lock, waiting.object, last, waiting);
  end(waiting.object, waiting.lock, last, waiting);
}

std::uint64_t WorkClock::worked(base::Time from, base::Time to) const {
  from = inside(from);
  to = std::max(from, inside(to));
  const std::uint64_t time = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  return time - (pauses_ ? paused(to) - paused(from) : 0);
}

std::uint64_t WorkClock::paused(base::Time time) const {
  const auto& all = pauses_->all;
  if (all.empty()) return 0;
  const base::Time at = inside(time);
  const bool known =
      all[pause_].start <= at && (pause_ + 1 == all.size() || at < all[pause_ + 1].start);
  if (!known) {
    const auto after = std::ranges::upper_bound(all, at, {}, &Pauses::Pause::start);
    if (after == all.begin()) return 0;
    pause_ = static_cast<std::size_t>(after - all.begin()) - 1;
  }
  const Pauses::Pause& pause = all[pause_];
  const base::Time upto = std::min(at, pause.end);
  return pause.before + static_cast<std::uint64_t>(upto) - static_cast<std::uint64_t>(pause.start);
}

}  // namespace polytrace::slice
