// SPDX-License-Identifier: Apache-2.0
// The maker of Perfetto's protobuf trace. Each thread's calls are a sequence of their own, whose
// times are told as differences; everything else stands on one further sequence with times of its
// own. What is interned is told before its first use. The reader orders packets by time. One thread
// at a time.
#pragma once

#include <deque>
#include <map>

#include "exports/perfetto/facts.hpp"
#include "exports/perfetto/heap.hpp"
#include "exports/perfetto/packets.hpp"
#include "exports/timelines/caps.hpp"
#include "exports/timelines/timeline_walk.hpp"

namespace polytrace::exports {

class PerfettoMaker : public MakerParts {
 public:
  static constexpr bool kTellsFacts = true;
  struct Track : CallTrack {
    std::uint64_t uuid = 0;  // 0: not begun
    perfetto::CallHead head{};
    Time last = 0;
    std::vector<std::uint8_t> known;  // by method: see shows()
  };

  explicit PerfettoMaker(const TimelineJob& job)
      : MakerParts(job), file_(job.sink), facts_(file_, job.origin, methods_) {}

  void start(const Slice& slice);
  base::result<void> end_slice() { return file_.state(); }
  base::result<void> complete(const Names& names);

  // For CallSpans.
  Track& track(std::uint32_t thread);
  bool shows(Track& track, std::uint32_t method, const Names& names) {
    if (method < track.known.size() && track.known[method] == kNamed) [[likely]]
      return true;
    return introduce(track, method, names);
  }
  bool begin(Track& track, Time time, std::uint32_t method) {
    if (!cap_.admit()) return false;
    file_.call_begin(track.head, passed(track, time), iid(method, track.known[method] == kNamed));
    return true;
  }
  void end(Track& track, std::uint32_t, Time, Time time) {
    file_.call_end(track.head, passed(track, time));
  }

  // For SpanWalk.
  void open_span(Lane lane, std::uint32_t thread, const Span& span, const Slice& slice,
                 const Event& event);
  void close_span(Lane lane, std::uint32_t thread, const Span& span, Time end, bool failed,
                  const Names& names);

  // For TimelineWalk.
  void define(const Slice& slice, const Event& event);
  void sample(const Slice& slice, const Event& event);
  void allocation(const Slice& slice, const Event& event);
  void throwing(const Slice& slice, const Event& event);
  void clause(const Slice& slice, const Event& event);
  void counter(const Slice& slice, const Event& event);
  void heap_size(const Slice& slice, const Event& event);
  void remark(const Slice& slice, const Event& event) {
    remark(event.time, remark_of(slice.batch, event));
  }
  void remark(Time time, std::string_view text);
  void other(const Slice& slice, const Event& event) {
    if (!of_snapshot(slice, event)) account_.leave_out(event.kind);
  }

 private:
  enum Known : std::uint8_t { kUnknown, kNamed, kNameless, kHidden };
  struct Counter {
    std::uint64_t track = 0;
    CounterScale scale;
  };

  // A method has one number with its name, another for as long as that has not come.
  static std::uint32_t iid(std::uint32_t method, bool named) {
    return 2 * method + (named ? 2 : 1);
  }
  std::uint64_t passed(Track& track, Time time) {
    const Time at = facts_.placed(time);
    if (at < track.last) [[unlikely]] {
      ++backwards_;
      return 0;
    }
    return static_cast<std::uint64_t>(at - std::exchange(track.last, at));
  }
  static std::int32_t tid(std::uint32_t thread) { return static_cast<std::int32_t>(thread + 1); }
  static std::int32_t stranger_tid(std::uint32_t index) {
    return static_cast<std::int32_t>(index) + (1 << 24);
  }

  // Whether it is part of a heap snapshot.
  bool of_snapshot(const Slice& slice, const Event& event);
  bool introduce(Track& track, std::uint32_t method, const Names& names);
  void describe_thread(const Track& track, const Names& names) {
    facts_.describe_thread(track.uuid, tid(track.thread), names.thread_name(track.thread));
  }
  std::uint64_t lane_track(Lane lane, std::uint32_t thread, const Span& span);
  void flow(const Span& span, std::uint64_t waiter, Time end, const Names& names);
  std::uint64_t thread_uuid(const Slice& slice, const Event& event) {
    return track(slice.threads[event.thread]).uuid;
  }

  perfetto::PacketFile file_;
  SampleCopies copies_;
  perfetto::Facts facts_;
  perfetto::HeapGraphs heaps_{file_, facts_};
  std::deque<Track> tracks_;  // by thread index
  std::map<SpanTrack, std::uint64_t> lane_tracks_;
  std::map<Id, Counter> counters_;
  std::map<std::string_view, std::uint64_t> heap_tracks_;
  base::IdTable strangers_;  // sampled threads without a stream
  std::uint64_t flows_ = 0;
  std::uint64_t backwards_ = 0;
};

}  // namespace polytrace::exports
