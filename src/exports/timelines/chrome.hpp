// SPDX-License-Identifier: Apache-2.0
// The maker of Chrome's JSON of trace events: calls as complete events where they call nothing,
// else as a begin and an end. Times are microseconds since the trace's start with three decimals:
// readers hold them as doubles. One thread at a time.
#pragma once

#include <deque>
#include <map>

#include "base/text/json_writer.hpp"
#include "exports/job/job.hpp"
#include "exports/job/text.hpp"
#include "exports/timelines/calls.hpp"
#include "exports/timelines/caps.hpp"
#include "exports/timelines/facts.hpp"

namespace polytrace::exports {

// Microseconds with three decimals.
void append_microseconds(std::string& out, std::int64_t nanoseconds);

class ChromeMaker final : public TimelineMaker {
 public:
  using Names = slice::Names;
  using Slice = slice::Slice;
  using Id = base::Id;
  using JsonWriter = base::JsonWriter;
  using Time = base::Time;
  using Event = event::Event;

  struct Track : CallTrack {
    bool begun = false;
    // The innermost call, of which it is not known yet whether it calls anything.
    bool is_pending = false;
    std::uint32_t method = 0;
    Time start = 0;
    Time last = std::numeric_limits<Time>::min();
    std::string begin, end, complete;  // how these events begin
    std::vector<std::uint8_t> known;   // by method: see shows()
  };

  explicit ChromeMaker(const TimelineJob& job)
      : job_(job),
        sink_(job.sink),
        json_(sink_.text(), JsonWriter::Form::one_line),
        methods_(job.request.selection),
        calls_(job.request.selection, *this),
        walk_(job.request.selection),
        spans_(job.request.selection, *this) {
    json_.begin_object();
    json_.member("displayTimeUnit", "ns");
    json_.key("traceEvents");
    json_.begin_array();
  }

  base::result<void> consume(const Slice& slice) override;
  base::result<void> finish(const Names& names) override;
  const Account& account() const override { return account_; }

  // For CallSpans.
  Track& track(std::uint32_t thread);
  bool shows(Track& track, std::uint32_t method, const Names& names) {
    if (method < texts_.size() && !texts_[method].empty()) [[likely]]
      return true;
    return introduce(track, method, names);
  }
  bool begin(Track& track, Time time, std::uint32_t method) {
    if (!cap_.admit()) return false;
    if (track.is_pending) write_pending(track);
    track.is_pending = true;
    track.method = method;
    track.start = forward(track, time);
    if (texts_[method].empty()) write_pending(track);  // its name may come meanwhile
    return true;
  }
  void end(Track& track, std::uint32_t, Time, Time time) {
    const Time at = forward(track, time);
    std::string& out = sink_.text();
    if (track.is_pending) {
      out += track.complete;
      append_microseconds(out, since_start(track.start));
      out += ",\"dur\":";
      append_microseconds(out, at - track.start);
      out += texts_[track.method];
      track.is_pending = false;
    } else {
      out += track.end;
      append_microseconds(out, since_start(at));
      out += '}';
    }
    drain();
  }

  // For SpanWalk.
  void open_span(Lane lane, std::uint32_t thread, const Span& span, const Slice& slice,
                 const Event& event);
  void close_span(Lane lane, std::uint32_t thread, const Span& span, Time end, bool failed,
                  const Names& names);
  // For take_fact().
  void sample(const Slice& slice, const Event& event);
  void allocation(const Slice& slice, const Event& event);
  void throwing(const Slice& slice, const Event& event);
  void clause(const Slice& slice, const Event& event);
  void define_counter(const Event& event, const event::CounterDef& details);
  void counter(const Slice& slice, const Event& event);
  void heap_size(const Slice& slice, const Event& event);
  void remark(const Slice& slice, const Event& event) {
    remark(event.time, remark_of(slice.batch, event));
  }
  void remark(Time time, std::string_view text);
  void other(const Slice&, const Event& event) { account_.leave_out(event.kind); }

 private:
  struct Counter {
    std::string name;
    double scale = 1;
    bool is_unsigned = false;
  };
  struct LaneThread {
    std::uint32_t tid = 0;
    std::string name;
  };

  Time since_start(Time time) const {
    return static_cast<Time>(static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(start_));
  }
  Time forward(Track& track, Time time) {
    if (time < track.last) [[unlikely]] {
      ++backwards_;
      return track.last;
    }
    return track.last = time;
  }
  void write_pending(Track& track) {
    std::string& out = sink_.text();
    out += track.begin;
    append_microseconds(out, since_start(track.start));
    if (!texts_[track.method].empty()) out += texts_[track.method];
    else out += text_of(track.method, *names_);
    track.is_pending = false;
  }
  void drain() {
    if (auto drained = sink_.drain(); !drained && !failure_) failure_ = drained.error();
  }
  Id pid() const { return job_.origin.pid == base::kNoId ? 1 : job_.origin.pid; }
  static std::uint32_t tid(std::uint32_t thread) { return thread + 1; }
  const std::string& process() const {
    return job_.origin.process.empty() ? job_.origin.trace : job_.origin.process;
  }

  static std::string text_of(std::uint32_t method, const Names& names);
  bool introduce(Track& track, std::uint32_t method, const Names& names);
  std::uint32_t lane_tid(Lane lane, std::uint32_t thread, const Span& span);
  // Opens the object of an event; the caller adds members and ends it.
  void begin_event(const char* phase, std::uint32_t tid);
  void begin_event(const char* phase, std::uint32_t tid, Time time, std::string_view name,
                   std::string_view category);
  void write_metadata(std::uint32_t tid, std::string_view key, std::string_view name);
  void write_counter(Time time, std::string_view name, double value);
  void write_flow(const Span& span, std::uint32_t waiter, Time end, const Names& names);
  void write_instant(const Slice& slice, const Event& event, std::string_view name,
                     std::string_view category);

  const TimelineJob job_;
  TextSink sink_;
  JsonWriter json_;
  Account account_;
  EventCap cap_{job_.limit};
  MethodTexts methods_;
  CallSpans<ChromeMaker> calls_;
  analysis::CallWalk<CallSpans<ChromeMaker>> walk_;
  SpanWalk<ChromeMaker> spans_;
  ObjectClasses classes_;
  const Names* names_ = nullptr;
  std::deque<Track> tracks_;        // by thread index
  std::vector<std::string> texts_;  // by method: how its events end, empty without a name
  std::vector<bool> hidden_;        // by method
  std::map<std::pair<Lane, std::uint64_t>, LaneThread> lanes_;
  std::map<Id, Counter> counters_;
  base::IdTable strangers_;  // sampled threads without a stream
  std::optional<base::Error> failure_;
  bool started_ = false;
  Time start_ = 0;
  std::uint64_t flows_ = 0;
  std::uint64_t backwards_ = 0;
};

}  // namespace polytrace::exports
