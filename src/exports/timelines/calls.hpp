// SPDX-License-Identifier: Apache-2.0
// The calls of a trace as spans that nest, cut to the selected time: what stands between CallWalk
// and a maker of time lines. No allocation and no virtual call per event.
#pragma once

#include <deque>
#include <limits>
#include <vector>

#include "analysis/calls/call_walk.hpp"

namespace polytrace::exports {

// Per thread; a maker's own track derives from it.
struct CallTrack {
  std::uint32_t thread = 0;          // its index
  base::Time low = 0;                // events from `low` on, `span` long, are written as they come
  std::uint64_t span = 0;            // 0 until the selected time has begun
  std::vector<std::uint32_t> early;  // methods open since before the selected time
  std::uint64_t unbegun = 0;         // of these, that were refused when it began
};

// The track of a thread; those of the threads before it come with it. Addresses stay.
template <class Track>
Track& track_of(std::deque<Track>& tracks, std::uint32_t thread) {
  while (tracks.size() <= thread) {
    const auto index = static_cast<std::uint32_t>(tracks.size());
    tracks.emplace_back().thread = index;
  }
  return tracks[thread];
}

// Writer has
//   struct Track : CallTrack
//   Track& track(std::uint32_t thread): one for each thread, at the same address always
//   bool shows(Track&, std::uint32_t method, const Names&): before every begin()
//   bool begin(Track&, Time, std::uint32_t method): false: refused, so are all later ones
//   void end(Track&, std::uint32_t method, Time start, Time end)
// Times within a track may run backwards where the trace's do.
template <class Writer>
class CallSpans {
 public:
  using Track = typename Writer::Track;
  using Time = base::Time;
  enum class Shown : std::uint8_t { no, yes, early };
  struct Frame : analysis::WalkedCall {
    Shown shown;
    Track* track;
    Time start;
  };
  static constexpr bool kAsksRecursion = false;
  static constexpr bool kTakesSums = false;  // they have no times
  // Spans are as long as they took: nothing is subtracted.
  struct WallClock {
    void turn_to(std::uint32_t) {}
    void look(const event::Batch&, const event::Event&) {}
    void end_waits(Time) {}
  };

  CallSpans(const slice::Selection& selection, Writer& writer)
      : writer_(writer), from_(selection.from), to_(selection.to) {}

  [[no_unique_address]] WallClock clock;

  Frame bottom(std::uint32_t thread) {
    Track& track = writer_.track(thread);
    if (from_ == std::numeric_limits<Time>::min()) open(track);
    return {{{base::kNoId, 0}, slice::NameTable::kNone, 0}, Shown::no, &track, 0};
  }

  void enter(const Frame& caller, Frame& frame, const event::Event& event, base::Time start,
             const slice::Names& names) {
    Track& track = *caller.track;
    const std::uint32_t method = names.methods().index(event.id);
    frame.method = method;
    frame.track = &track;
    frame.start = start;
    if (!writer_.shows(track, method, names)) {
      frame.shown = Shown::no;
      hidden_ += start >= from_ && start < to_ ? 1 : 0;
    } else if (distance(track.low, start) < track.span) [[likely]] {
      frame.shown = writer_.begin(track, start, method) ? Shown::yes : Shown::no;
    } else {
      frame.shown = enter_outside(track, start, method);
    }
  }

  void leave(Frame&, const Frame& frame, Time end, bool) {
    if (frame.shown == Shown::no) return;
    if (frame.shown == Shown::early) return leave_early(frame, end);
    writer_.end(*frame.track, frame.method, frame.start, std::min(end, to_));
  }
  // Calls that the writer does not show.
  std::uint64_t hidden() const { return hidden_; }

 private:
  static std::uint64_t distance(Time low, Time high) {
    return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  }
  void open(Track& track) const {
    track.low = from_;
    track.span = distance(from_, to_);
  }
  Shown enter_outside(Track& track, Time time, std::uint32_t method) {
    if (time >= to_) return Shown::no;
    if (time < from_) {
      track.early.push_back(method);
      return Shown::early;
    }
    begin_early(track);
    return writer_.begin(track, time, method) ? Shown::yes : Shown::no;
  }
  void begin_early(Track& track) {
    for (const std::uint32_t method : track.early)
      if (!writer_.begin(track, from_, method)) ++track.unbegun;
    track.early.clear();
    open(track);
  }
  void leave_early(const Frame& frame, Time end) {
    Track& track = *frame.track;
    if (end < from_ && !track.early.empty()) {
      track.early.pop_back();
      return;
    }
    if (!track.early.empty()) begin_early(track);
    if (track.unbegun != 0) --track.unbegun;
    else writer_.end(track, frame.method, from_, std::max(from_, std::min(end, to_)));
  }

  Writer& writer_;
  Time from_;
  Time to_;
  std::uint64_t hidden_ = 0;
};

}  // namespace polytrace::exports
