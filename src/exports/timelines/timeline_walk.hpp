// SPDX-License-Identifier: Apache-2.0
// What makers of time lines have in common: a walk that tells them of a trace's calls, of what
// lasts a while beside them and of everything else, and what they need for all of these. No
// virtual call per event. One thread at a time.
#pragma once

#include <optional>

#include "analysis/calls/call_walk.hpp"
#include "exports/job/job.hpp"
#include "exports/timelines/calls.hpp"
#include "exports/timelines/caps.hpp"
#include "exports/timelines/names.hpp"
#include "exports/timelines/spans.hpp"

namespace polytrace::exports {

// What every maker derives from. The walk calls what a maker has of a function's name, else the one
// that is here.
class MakerParts {
 protected:
  template <class>
  friend class TimelineWalk;
  using Names = slice::Names;
  using Slice = slice::Slice;
  using Event = event::Event;
  using Id = base::Id;
  using Time = base::Time;

  explicit MakerParts(const TimelineJob& job) : job_(job), methods_(job.request.selection) {}

  // Once, before anything of the first slice that has events.
  void start(const Slice&) {}
  // Before anything of a slice.
  void turn_to(const Slice&) {}
  // After each event that is no call: writes what has gathered.
  void settle() {}
  // After everything of a slice.
  base::result<void> end_slice() { return state(); }

  // The first failure stays.
  void keep(base::result<void> written) {
    if (!written && !failure_) failure_ = std::move(written.error());
  }
  base::result<void> state() const {
    if (failure_) return base::Unexpected(*failure_);
    return {};
  }

  const TimelineJob job_;
  Account account_;
  EventCap cap_{job_.limit};
  MethodTexts methods_;
  ObjectClasses classes_;
  const Names* names_ = nullptr;  // of the slice at hand, of the whole trace at the end
  std::optional<base::Error> failure_;
};

// Maker has what CallSpans asks for, and
//   base::result<void> complete(const Names&): once, when all calls and spans have ended and the
//     account holds what is the same for all makers: writes what stands at the end
//   static constexpr bool kTellsFacts: whether it has a place for each kind of event; if so, what
//     SpanWalk asks for, and, of events that are no calls,
//       void define(const Slice&, const Event&): of a name or a unit, selected or not
//       void sample, allocation, throwing, clause, counter, heap_size, remark(const Slice&,
//                                                                             const Event&)
//   void other(const Slice&, const Event&): of one that has no place of its own. Where none has
//     one, of any event that is no call, selected or not
template <class Maker>
class TimelineWalk final : public TimelineMaker {
 public:
  explicit TimelineWalk(const TimelineJob& job)
      : maker_(job),
        calls_(job.request.selection, maker_),
        walk_(job.request.selection),
        spans_(job.request.selection, maker_) {}

  base::result<void> consume(const slice::Slice& slice) override {
    maker_.names_ = &slice.names;
    if (!started_ && !slice.batch.events.empty()) {
      started_ = true;
      maker_.start(slice);
    }
    maker_.turn_to(slice);
    walk_.consume(slice, calls_);
    for (const std::uint32_t i : slice.others) {
      take(slice, slice.batch.events[i]);
      maker_.settle();
    }
    return maker_.end_slice();
  }

  base::result<void> finish(const slice::Names& names) override {
    maker_.names_ = &names;
    walk_.finish(calls_);
    if constexpr (Maker::kTellsFacts) spans_.finish(names);
    Account& account = maker_.account_;
    account.notes = analysis::repair_notes(walk_.repairs());
    maker_.methods_.tell(names, calls_.hidden(), account);
    maker_.cap_.tell(account);
    if constexpr (Maker::kTellsFacts) spans_.tell(account);
    return maker_.complete(names);
  }

  const Account& account() const override { return maker_.account_; }

 private:
  void take(const slice::Slice& slice, const event::Event& event) {
    if constexpr (Maker::kTellsFacts) {
      maker_.classes_.learn(slice, event);
      if (!spans_.take(slice, event)) take_fact(slice, event);
    } else {
      maker_.other(slice, event);
    }
  }
  void take_fact(const slice::Slice& slice, const event::Event& event);

  Maker maker_;
  CallSpans<Maker> calls_;
  analysis::CallWalk<CallSpans<Maker>> walk_;
  SpanWalk<Maker> spans_;
  bool started_ = false;
};

template <class Maker>
void TimelineWalk<Maker>::take_fact(const slice::Slice& slice, const event::Event& event) {
  using event::Kind;
  const slice::Selection& wanted = maker_.job_.request.selection;
  if (event.kind == Kind::Sample) {
    if (wanted.has(event.time) && wanted.threads.has(event.id)) maker_.sample(slice, event);
    return;
  }
  if (is_taken_as_name(event.kind)) return maker_.define(slice, event);
  if (!selects(wanted, slice.batch, event)) return;
  switch (event.kind) {
    case Kind::Alloc:
    case Kind::AllocSummary: return maker_.allocation(slice, event);
    case Kind::Throw: return maker_.throwing(slice, event);
    case Kind::Clause: return maker_.clause(slice, event);
    case Kind::CounterValue: return maker_.counter(slice, event);
    case Kind::HeapSize: return maker_.heap_size(slice, event);
    case Kind::Note:
    case Kind::Recording:
    case Kind::Lost: return maker_.remark(slice, event);
    default: maker_.other(slice, event);
  }
}

}  // namespace polytrace::exports
