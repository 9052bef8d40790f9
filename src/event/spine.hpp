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

// Enter, Leave or Unwind.
inline constexpr bool is_call(Kind kind) {
  constexpr auto first = static_cast<unsigned>(Kind::Enter);
  constexpr auto last = static_cast<unsigned>(Kind::Unwind);
  static_assert(last == first + 2 && static_cast<unsigned>(Kind::Leave) == first + 1);
  return static_cast<unsigned>(kind) - first <= last - first;
}

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
  // As far as the reader told them, none empty: who looks for other events can leap over these.
  std::span<const CallSpan> call_spans() const { return call_spans_; }

  void clear() {
    RawArray::clear();
    call_spans_.clear();
  }

 private:
  std::vector<CallSpan> call_spans_;
};

}  // namespace polytrace::event
