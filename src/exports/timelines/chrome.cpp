// SPDX-License-Identifier: Apache-2.0
// The maker of Chrome's JSON of trace events: calls as complete events where they call nothing,
// else as a begin and an end.
#include <fmt/format.h>

#include <deque>
#include <map>

#include "base/slot.hpp"
#include "base/text/figure_text.hpp"
#include "exports/timelines/chrome_file.hpp"
#include "exports/timelines/timeline_walk.hpp"

namespace polytrace::exports {
namespace {

using base::JsonWriter;
using event::Kind;

class ChromeMaker : public MakerParts {
 public:
  static constexpr bool kTellsFacts = true;
  struct Track : CallTrack {
    bool begun = false;
    // The innermost call, of which it is not known yet whether it calls anything.
    bool is_pending = false;
    std::uint32_t method = 0;
    Time start = 0;
    Time last = std::numeric_limits<Time>::min();
    std::string begin, end, complete;  // how these events begin
  };

  explicit ChromeMaker(const TimelineJob& job) : MakerParts(job), file_(job.sink, job.origin) {}

  void start(const Slice& slice);
  void settle() { file_.drain(); }
  base::result<void> end_slice() { return file_.state(); }
  base::result<void> complete(const Names& names);

  // For CallSpans.
  Track& track(std::uint32_t thread);
  bool shows(Track&, std::uint32_t method, const Names& names) {
    if (method < texts_.size() && !texts_[method].empty()) [[likely]]
      return true;
    return introduce(method, names);
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
    std::string& out = file_.text();
    if (track.is_pending) {
      out += track.complete;
      append_microseconds(out, file_.since_start(track.start));
      out += ",\"dur\":";
      append_microseconds(out, at - track.start);
      out += texts_[track.method];
      track.is_pending = false;
    } else {
      out += track.end;
      append_microseconds(out, file_.since_start(at));
      out += '}';
    }
    file_.drain();
  }

  // For SpanWalk.
  void open_span(Lane lane, std::uint32_t thread, const Span& span, const Slice& slice,
                 const Event& event);
  void close_span(Lane lane, std::uint32_t thread, const Span& span, Time end, bool failed,
                  const Names& names);
  // For TimelineWalk.
  void define(const Slice& slice, const Event& event) {
    if (event.kind != Kind::CounterDef) return;
    const auto details = slice.batch.details_or<event::CounterDef>(event, {});
    const CounterScale scale(details);
    counters_[event.id] = {counter_name(details) + (scale.is_time() ? " (ms)" : ""), scale};
  }
  void sample(const Slice& slice, const Event& event);
  void allocation(const Slice& slice, const Event& event);
  void throwing(const Slice& slice, const Event& event) {
    if (!cap_.admit()) return;
    const auto details = slice.batch.details_or<event::Throw>(event, {});
    const std::uint32_t type = classes_.find(event.id, details.class_id, slice.names);
    begin_instant(slice, event, "throws " + slice.names.class_name(type), "throw");
    file_.end_event();
  }
  void clause(const Slice& slice, const Event& event) {
    if (!cap_.admit()) return;
    const auto details = slice.batch.details_or<event::Clause>(event, {});
    begin_instant(slice, event,
                  fmt::format("{} in {}", event::name(details.clause),
                              slice.names.method_name(slice.names.methods().index(event.id))),
                  "clause");
    file_.end_event();
  }
  void counter(const Slice& slice, const Event& event);
  void heap_size(const Slice& slice, const Event& event);
  void remark(const Slice& slice, const Event& event) {
    if (!cap_.admit()) return;
    file_.begin_event("i", 0, event.time, remark_of(slice.batch, event), "remark");
    file_.json().member("s", "p");
    file_.end_event();
  }
  void other(const Slice&, const Event& event) { account_.leave_out(event.kind); }

 private:
  struct Counter {
    std::string name;
    CounterScale scale;
  };
  struct LaneThread {
    std::uint32_t tid = 0;
    std::string name;
  };
  static constexpr std::uint32_t kFirstLane = 1000000;       // thread numbers of lanes,
  static constexpr std::uint32_t kFirstStranger = 1U << 24;  // of sampled threads without a stream

  Time forward(Track& track, Time time) {
    if (time < track.last) [[unlikely]] {
      ++backwards_;
      return track.last;
    }
    return track.last = time;
  }
  void write_pending(Track& track) {
    std::string& out = file_.text();
    out += track.begin;
    append_microseconds(out, file_.since_start(track.start));
    if (!texts_[track.method].empty()) out += texts_[track.method];
    else out += text_of(track.method, *names_);
    track.is_pending = false;
  }
  static std::uint32_t tid(std::uint32_t thread) { return thread + 1; }

  static std::string text_of(std::uint32_t method, const Names& names);
  bool introduce(std::uint32_t method, const Names& names);
  std::uint32_t lane_tid(Lane lane, std::uint32_t thread, const Span& span);
  void write_flow(const Span& span, std::uint32_t waiter, Time end, const Names& names);
  // The caller ends it.
  void begin_instant(const Slice& slice, const Event& event, std::string_view name,
                     std::string_view category);
  std::string stack_name(const Slice& slice, Id frame);

  ChromeFile file_;
  std::deque<Track> tracks_;        // by thread index
  std::vector<std::string> texts_;  // by method: how its events end, empty without a name
  std::vector<bool> hidden_;        // by method
  std::map<SpanTrack, LaneThread> lanes_;
  std::map<Id, Counter> counters_;
  base::IdTable strangers_;
  std::uint64_t flows_ = 0;
  std::uint64_t backwards_ = 0;
};

void ChromeMaker::start(const Slice& slice) {
  Time start = std::numeric_limits<Time>::max();
  for (const Event& event : slice.batch.events) start = std::min(start, event.time);
  file_.set_start(std::max(start, job_.request.selection.from));
  file_.name_process();  // what begins an array has no comma before it
}

auto ChromeMaker::track(std::uint32_t thread) -> Track& {
  Track& track = track_of(tracks_, thread);
  if (track.begun) return track;
  track.begun = true;
  track.begin = file_.head('B', tid(thread));
  track.end = file_.head('E', tid(thread));
  track.complete = file_.head('X', tid(thread));
  return track;
}

// How the events of a method's calls end.
std::string ChromeMaker::text_of(std::uint32_t method, const Names& names) {
  std::string text = ",\"name\":";
  base::append_json_text(text, names.method_name(method));
  return text + '}';
}

// Once per method, and each time for one without a name.
bool ChromeMaker::introduce(std::uint32_t method, const Names& names) {
  if (method < hidden_.size() && hidden_[method]) return false;
  if (!methods_.shows(method, names)) {
    if (hidden_.size() <= method) hidden_.resize(method + std::size_t{1});
    hidden_[method] = true;
    return false;
  }
  std::string& known = base::slot(texts_, method);
  if (names.methods().named(method)) known = text_of(method, names);
  else methods_.count_nameless(method);
  return true;
}

std::uint32_t ChromeMaker::lane_tid(Lane lane, std::uint32_t thread, const Span& span) {
  LaneThread& own = lanes_[span_track(lane, thread, span)];
  if (own.tid != 0) return own.tid;
  own.tid = kFirstLane + static_cast<std::uint32_t>(lanes_.size());
  own.name = is_of_process(lane) ? "Garbage collector" : names_->thread_name(thread);
  own.name += ": " + span_track_title(lane, span, *names_);
  return own.tid;
}

void ChromeMaker::open_span(Lane lane, std::uint32_t thread, const Span& span, const Slice& slice,
                            const Event&) {
  cap_.add();
  file_.begin_event("B", lane_tid(lane, thread, span), span.start,
                    span_name(lane, span, slice.names), describe(lane).category);
  JsonWriter& json = file_.json();
  file_.begin_arguments();
  json.member("thread", slice.names.thread_name(thread));
  if (span.owner != base::kNoId) json.member("owner", fmt::format("{:#x}", span.owner));
  json.end_object();
  file_.end_event();
}

void ChromeMaker::close_span(Lane lane, std::uint32_t thread, const Span& span, Time end,
                             bool failed, const Names& names) {
  const std::uint32_t tid = lane_tid(lane, thread, span);
  if (lane == Lane::locks && !failed) write_flow(span, tid, end, names);
  file_.begin_event("E", tid, end, "", "");
  if (failed) {
    file_.begin_arguments();
    file_.json().member("result", "failed");
    file_.json().end_object();
  }
  file_.end_event();
}

// From who had the lock to who waited for it.
void ChromeMaker::write_flow(const Span& span, std::uint32_t waiter, Time end, const Names& names) {
  if (span.owner == base::kNoId) return;
  const std::uint32_t owner = names.thread_index(span.owner);
  if (owner == Names::kNone) return;
  ++flows_;
  file_.begin_event("s", tid(owner), end, "lock", "lock");
  file_.json().member("id", flows_);
  file_.end_event();
  file_.begin_event("f", waiter, end, "lock", "lock");
  file_.json().member("bp", "e");
  file_.json().member("id", flows_);
  file_.end_event();
}

void ChromeMaker::begin_instant(const Slice& slice, const Event& event, std::string_view name,
                                std::string_view category) {
  file_.begin_event("i", tid(slice.threads[event.thread]), event.time, name, category);
  file_.json().member("s", "t");
}

std::string ChromeMaker::stack_name(const Slice& slice, Id frame) {
  const std::uint32_t method = slice.names.methods().index(frame);
  if (!slice.names.methods().named(method)) methods_.count_nameless(method);
  return slice.names.method_name(method);
}

void ChromeMaker::sample(const Slice& slice, const Event& event) {
  const auto details = slice.batch.details_or<event::Sample>(event, {});
  if (details.mode == event::SampleMode::change) return account_.leave_out(Kind::Sample);
  if (!cap_.admit()) return;
  const std::uint32_t thread = slice.names.thread_index(event.id);
  const std::uint32_t number =
      thread == Names::kNone ? kFirstStranger + strangers_.index(event.id) : tid(thread);
  const auto frames = slice.batch.list(details.stack);
  const bool managed = !frames.empty() && slice.names.is_method(frames.back());
  file_.begin_event("i", number, event.time,
                    managed ? stack_name(slice, frames.back()) : "(no managed frame)", "sample");
  JsonWriter& json = file_.json();
  json.member("s", "t");
  file_.begin_arguments();
  if (details.weight > 1) json.member("weight", details.weight);
  json.key("stack");
  json.begin_array();
  for (const Id frame : frames)
    if (slice.names.is_method(frame)) json.value(stack_name(slice, frame));
  json.end_array();
  json.end_object();
  file_.end_event();
}

void ChromeMaker::allocation(const Slice& slice, const Event& event) {
  if (!cap_.admit()) return;
  const Allocation allocated = allocation_of(slice.batch, event);
  const std::uint32_t type = slice.names.class_index(event.id);
  if (!slice.names.classes().named(type)) methods_.count_nameless_class(type);
  begin_instant(slice, event, slice.names.class_name(type), "alloc");
  file_.begin_arguments();
  file_.json().member("bytes", allocated.bytes);
  if (allocated.count != 1) file_.json().member("objects", allocated.count);
  file_.json().end_object();
  file_.end_event();
}

void ChromeMaker::counter(const Slice& slice, const Event& event) {
  const auto details = slice.batch.details_or<event::CounterValue>(event, {});
  if (details.type == event::CounterType::string) return account_.leave_out(Kind::CounterValue);
  if (!cap_.admit()) return;
  Counter& counter = counters_[event.id];
  if (counter.name.empty()) counter.name = fmt::format("counter {:#x}", event.id);
  file_.add_counter(event.time, counter.name, counter.scale.value(details));
}

void ChromeMaker::heap_size(const Slice& slice, const Event& event) {
  const auto details = slice.batch.details_or<event::HeapSize>(event, {});
  if (!details.generation.empty()) return account_.leave_out(Kind::HeapSize);
  if (!cap_.admit()) return;
  for (const auto& [name, value] : {std::pair("Heap (bytes)", details.total),
                                    {"Heap in use (bytes)", details.used},
                                    {"Objects in the heap", details.objects}})
    if (value != 0) file_.add_counter(event.time, name, static_cast<double>(value));
}

base::result<void> ChromeMaker::complete(const Names& names) {
  file_.name_process();
  for (std::uint32_t i = 0; i < names.threads().size(); ++i)
    file_.name_thread(tid(i), names.thread_name(i));
  for (std::uint32_t i = 0; i < strangers_.size(); ++i)
    file_.name_thread(kFirstStranger + i, fmt::format("{:#x}", strangers_.id(i)));
  for (const auto& [track, lane] : lanes_) file_.name_thread(lane.tid, lane.name);
  if (backwards_ != 0)
    account_.notes.push_back(
        fmt::format("{} times of calls ran backwards: put right.", base::count_text(backwards_)));
  return file_.finish(account_);
}

}  // namespace

std::unique_ptr<TimelineMaker> make_chrome(const TimelineJob& job) {
  return std::make_unique<TimelineWalk<ChromeMaker>>(job);
}

}  // namespace polytrace::exports
