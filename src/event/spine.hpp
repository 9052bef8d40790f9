// SPDX-License-Identifier: Apache-2.0
// The hot column of a batch: one 24-byte record per event, in stream order.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/raw_array.hpp"
#include "event/details.hpp"

namespace polytrace::event {

struct Event {
  Time time;             // of the trace's clock; never kNoTime inside a batch
  Id id;                 // the subject: KindInfo::subject says of what kind it is
  u32 detail;            // index in the batch's column of this kind, kAbsent = all fields not told
  std::uint16_t thread;  // index in Batch::threads: the thread whose stream carries the event
  Kind kind;
  u8 reserved;  // 0
};

// Enter, Leave and Unwind of one thread, none earlier than the one before, and nothing else: events
// [begin, end).
struct CallSpan {
  std::uint32_t begin;
  std::uint32_t end;
  std::array<std::uint32_t, 3> kinds;  // events by kind, from Kind::Enter on
};

class Spine : public base::RawArray<Event> {
 public:
  // As grew_to(), for what is known to be a CallSpan.
  void grew_by_calls(const Event* end, const std::array<std::uint32_t, 3>& kinds) {
    const auto begin = static_cast<std::uint32_t>(size());
    grew_to(end);
    call_spans_.push_back({begin, static_cast<std::uint32_t>(size()), kinds});
  }
  // As far as the reader told them, none empty: who looks for other events can leap over these,
  // with leap_over_calls().
  std::span<const CallSpan> call_spans() const { return call_spans_; }

  void clear() {
    RawArray::clear();
    call_spans_.clear();
  }

 private:
  std::vector<CallSpan> call_spans_;
};

// Goes through all events in order: calls others(begin, end) for each stretch of events that is in
// no CallSpan, calls(span) for each CallSpan.
template <class Others, class Calls>
void leap_over_calls(const Spine& events, Others&& others, Calls&& calls) {
  std::uint32_t at = 0;
  for (const CallSpan& span : events.call_spans()) {
    if (at != span.begin) others(at, span.begin);
    calls(span);
    at = span.end;
  }
  const auto end = static_cast<std::uint32_t>(events.size());
  if (at != end) others(at, end);
}
// Calls other(event) for each that is in no CallSpan.
template <class Other>
void leap_over_calls(const Spine& events, Other&& other) {
  leap_over_calls(
      events,
      [&](std::uint32_t begin, std::uint32_t end) {
        for (std::uint32_t i = begin; i != end; ++i) other(events[i]);
      },
      [](const CallSpan&) {});
}

}  // namespace polytrace::event
