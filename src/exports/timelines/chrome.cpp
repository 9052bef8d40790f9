// SPDX-License-Identifier: Apache-2.0
#include "exports/timelines/chrome.hpp"

#include <charconv>

#include "analysis/runtime/counter_names.hpp"
#include "base/slot.hpp"
#include "base/text/figure_text.hpp"

namespace polytrace::exports {

using base::Id;
using base::Time;
using event::Event;
using event::Kind;
using slice::Names;
using slice::Slice;

namespace {

constexpr std::uint32_t kFirstLane = 1000000;  // thread numbers of lanes

}  // namespace

void append_microseconds(std::string& out, std::int64_t nanoseconds) {
  char digits[32];
  char* at = digits;
  auto rest = static_cast<std::uint64_t>(nanoseconds);
  if (nanoseconds < 0) {
    *at++ = '-';
    rest = 0 - rest;
  }
  at = std::to_chars(at, std::end(digits), rest / 1000).ptr;
  const auto part = static_cast<unsigned>(rest % 1000);
  *at++ = '.';
  *at++ = static_cast<char>('0' + part / 100);
  *at++ = static_cast<char>('0' + part / 10 % 10);
  *at++ = static_cast<char>('0' + part % 10);
  out.append(digits, static_cast<std::size_t>(at - digits));
}

base::result<void> ChromeMaker::consume(const Slice& slice) {
  names_ = &slice.names;
  if (!started_ && !slice.batch.events.empty()) {
    started_ = true;
    start_ = std::numeric_limits<Time>::max();
    for (const Event& event : slice.batch.events) start_ = std::min(start_, event.time);
    start_ = std::max(start_, job_.request.selection.from);
    write_metadata(0, "process_name", process());  // what begins an array has no comma before it
  }
  walk_.consume(slice, calls_);
  for (const std::uint32_t i : slice.others) {
    classes_.learn(slice, slice.batch.events[i]);
    take_fact(slice, slice.batch.events[i], job_.request.selection, spans_, *this);
    drain();
  }
  if (failure_) return base::Unexpected(*failure_);
  return {};
}

auto ChromeMaker::track(std::uint32_t thread) -> Track& {
  Track& track = track_of(tracks_, thread);
  if (track.begun) return track;
  track.begun = true;
  const auto head = [&](char phase) {
    return fmt::format(",\n{{\"ph\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":", phase, pid(),
                       tid(thread));
  };
  track.begin = head('B');
  track.end = head('E');
  track.complete = head('X');
  return track;
}

// How the events of a method's calls end.
std::string ChromeMaker::text_of(std::uint32_t method, const Names& names) {
  std::string text = ",\"name\":";
  base::append_json_text(text, names.method_name(method));
  return text + '}';
}

// Once per method, and each time for one without a name.
bool ChromeMaker::introduce(Track&, std::uint32_t method, const Names& names) {
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

void ChromeMaker::begin_event(const char* phase, std::uint32_t tid) {
  json_.new_line();
  json_.begin_object();
  json_.member("ph", phase);
  json_.member("pid", pid());
  if (tid != 0) json_.member("tid", tid);
}

void ChromeMaker::begin_event(const char* phase, std::uint32_t tid, Time time,
                              std::string_view name, std::string_view category) {
  begin_event(phase, tid);
  std::string stamp;
  append_microseconds(stamp, since_start(time));
  json_.key("ts");
  json_.number(stamp);
  if (!name.empty()) json_.member("name", name);
  if (!category.empty()) json_.member("cat", category);
}

std::uint32_t ChromeMaker::lane_tid(Lane lane, std::uint32_t thread, const Span& span) {
  const bool of_process = lane == Lane::collections || lane == Lane::pauses;
  const std::uint64_t number = lane == Lane::collections ? span.subject
                               : of_process              ? 0
                                                         : std::uint64_t{thread};
  LaneThread& own = lanes_[{lane, number}];
  if (own.tid != 0) return own.tid;
  own.tid = kFirstLane + static_cast<std::uint32_t>(lanes_.size());
  own.name = of_process ? "Garbage collector" : names_->thread_name(thread);
  own.name += fmt::format(": {}", describe(lane).title);
  if (lane == Lane::collections) own.name += " of " + span_name(lane, span, *names_);
  return own.tid;
}

void ChromeMaker::open_span(Lane lane, std::uint32_t thread, const Span& span, const Slice& slice,
                            const Event&) {
  cap_.add();
  begin_event("B", lane_tid(lane, thread, span), span.start, span_name(lane, span, slice.names),
              describe(lane).category);
  json_.key("args");
  json_.begin_object();
  json_.member("thread", slice.names.thread_name(thread));
  if (span.owner != base::kNoId) json_.member("owner", fmt::format("{:#x}", span.owner));
  json_.end_object();
  json_.end_object();
}

void ChromeMaker::close_span(Lane lane, std::uint32_t thread, const Span& span, Time end,
                             bool failed, const Names& names) {
  const std::uint32_t tid = lane_tid(lane, thread, span);
  if (lane == Lane::locks && !failed) write_flow(span, tid, end, names);
  begin_event("E", tid, end, "", "");
  if (failed) {
    json_.key("args");
    json_.begin_object();
    json_.member("result", "failed");
    json_.end_object();
  }
  json_.end_object();
}

// From who had the lock to who waited for it.
void ChromeMaker::write_flow(const Span& span, std::uint32_t waiter, Time end, const Names& names) {
  if (span.owner == base::kNoId) return;
  const std::uint32_t owner = names.thread_index(span.owner);
  if (owner == Names::kNone) return;
  ++flows_;
  begin_event("s", tid(owner), end, "lock", "lock");
  json_.member("id", flows_);
  json_.end_object();
  begin_event("f", waiter, end, "lock", "lock");
  json_.member("bp", "e");
  json_.member("id", flows_);
  json_.end_object();
}

void ChromeMaker::write_instant(const Slice& slice, const Event& event, std::string_view name,
                                std::string_view category) {
  begin_event("i", tid(slice.threads[event.thread]), event.time, name, category);
  json_.member("s", "t");
}

void ChromeMaker::sample(const Slice& slice, const Event& event) {
  const auto details = slice.batch.details_or<event::Sample>(event, {});
  if (details.mode == event::SampleMode::change) return account_.leave_out(Kind::Sample);
  if (!cap_.admit()) return;
  const std::uint32_t thread = slice.names.thread_index(event.id);
  const std::uint32_t number =
      thread == Names::kNone ? (1U << 24) + strangers_.index(event.id) : tid(thread);
  const auto frames = slice.batch.list(details.stack);
  const bool managed = !frames.empty() && slice.names.is_method(frames.back());
  const auto name = [&](Id frame) {
    const std::uint32_t method = slice.names.methods().index(frame);
    if (!slice.names.methods().named(method)) methods_.count_nameless(method);
    return slice.names.method_name(method);
  };
  begin_event("i", number, event.time, managed ? name(frames.back()) : "(no managed frame)",
              "sample");
  json_.member("s", "t");
  json_.key("args");
  json_.begin_object();
  if (details.weight > 1) json_.member("weight", details.weight);
  json_.key("stack");
  json_.begin_array();
  for (const Id frame : frames)
    if (slice.names.is_method(frame)) json_.value(name(frame));
  json_.end_array();
  json_.end_object();
  json_.end_object();
}

void ChromeMaker::allocation(const Slice& slice, const Event& event) {
  if (!cap_.admit()) return;
  const Allocation allocated = allocation_of(slice.batch, event);
  const std::uint32_t type = slice.names.class_index(event.id);
  if (!slice.names.classes().named(type)) methods_.count_nameless_class(type);
  write_instant(slice, event, slice.names.class_name(type), "alloc");
  json_.key("args");
  json_.begin_object();
  json_.member("bytes", allocated.bytes);
  if (allocated.count != 1) json_.member("objects", allocated.count);
  json_.end_object();
  json_.end_object();
}

void ChromeMaker::throwing(const Slice& slice, const Event& event) {
  if (!cap_.admit()) return;
  const auto details = slice.batch.details_or<event::Throw>(event, {});
  const std::uint32_t type = classes_.find(event.id, details.class_id, slice.names);
  write_instant(slice, event, "throws " + slice.names.class_name(type), "throw");
  json_.end_object();
}

void ChromeMaker::clause(const Slice& slice, const Event& event) {
  if (!cap_.admit()) return;
  const auto details = slice.batch.details_or<event::Clause>(event, {});
  write_instant(slice, event,
                fmt::format("{} in {}", event::name(details.clause),
                            slice.names.method_name(slice.names.methods().index(event.id))),
                "clause");
  json_.end_object();
}

// Recorded in units of their own: see analysis/runtime/counters.cpp.
void ChromeMaker::define_counter(const Event& event, const event::CounterDef& details) {
  const bool is_interval = details.type == event::CounterType::interval;
  const bool is_time = details.unit == event::CounterUnit::time;
  std::string name = analysis::counter_section(details) + ": " + std::string(details.name);
  if (is_interval || is_time) name += " (ms)";
  counters_[event.id] = {
      std::move(name),
      is_interval ? 1e-3
      : is_time   ? 1e-4
                  : 1,
      details.type == event::CounterType::uint32 || details.type == event::CounterType::uint64};
}

void ChromeMaker::counter(const Slice& slice, const Event& event) {
  const auto details = slice.batch.details_or<event::CounterValue>(event, {});
  if (details.type == event::CounterType::string) return account_.leave_out(Kind::CounterValue);
  if (!cap_.admit()) return;
  Counter& counter = counters_[event.id];
  if (counter.name.empty()) counter.name = fmt::format("counter {:#x}", event.id);
  double value = details.real;
  if (details.type != event::CounterType::real)
    value = counter.is_unsigned ? static_cast<double>(static_cast<std::uint64_t>(details.number))
                                : static_cast<double>(details.number);
  write_counter(event.time, counter.name, value * counter.scale);
}

void ChromeMaker::write_counter(Time time, std::string_view name, double value) {
  begin_event("C", 0, time, name, "");
  json_.key("args");
  json_.begin_object();
  json_.member("value", value);
  json_.end_object();
  json_.end_object();
}

void ChromeMaker::heap_size(const Slice& slice, const Event& event) {
  const auto details = slice.batch.details_or<event::HeapSize>(event, {});
  if (!details.generation.empty()) return account_.leave_out(Kind::HeapSize);
  if (!cap_.admit()) return;
  for (const auto& [name, value] : {std::pair("Heap (bytes)", details.total),
                                    {"Heap in use (bytes)", details.used},
                                    {"Objects in the heap", details.objects}})
    if (value != 0) write_counter(event.time, name, static_cast<double>(value));
}

void ChromeMaker::remark(Time time, std::string_view text) {
  if (!cap_.admit()) return;
  begin_event("i", 0, time, text, "remark");
  json_.member("s", "p");
  json_.end_object();
}

void ChromeMaker::write_metadata(std::uint32_t tid, std::string_view key, std::string_view name) {
  begin_event("M", tid);
  json_.member("name", key);
  json_.key("args");
  json_.begin_object();
  json_.member("name", name);
  json_.end_object();
  json_.end_object();
}

base::result<void> ChromeMaker::finish(const Names& names) {
  names_ = &names;
  walk_.finish(calls_);
  spans_.finish(names);
  const Origin& origin = job_.origin;
  write_metadata(0, "process_name", process());
  for (std::uint32_t i = 0; i < names.threads().size(); ++i)
    write_metadata(tid(i), "thread_name", names.thread_name(i));
  for (std::uint32_t i = 0; i < strangers_.size(); ++i)
    write_metadata((1U << 24) + i, "thread_name", fmt::format("{:#x}", strangers_.id(i)));
  for (const auto& [key, lane] : lanes_) write_metadata(lane.tid, "thread_name", lane.name);
  json_.end_array();
  account_.notes = analysis::repair_notes(walk_.repairs());
  methods_.tell(names, calls_.hidden(), account_);
  cap_.tell(account_);
  spans_.tell(account_);
  if (backwards_ != 0)
    account_.notes.push_back(
        fmt::format("{} times of calls ran backwards: put right.", base::count_text(backwards_)));
  json_.key("otherData");
  json_.begin_object();
  json_.member("trace", origin.trace);
  json_.member("runtime", origin.runtime);
  json_.member("start", start_);  // beyond 2^53: as text
  if (const Time wall = origin.wall_of(start_); wall != base::kNoTime)
    json_.member("wall_clock_start_ns", wall);
  json_.key("not_in_this_file");
  json_.begin_array();
  for (const std::string& sentence : account_.sentences()) json_.value(sentence);
  json_.end_array();
  json_.end_object();
  json_.end_object();
  sink_.text() += '\n';
  return sink_.flush();
}

std::unique_ptr<TimelineMaker> make_chrome(const TimelineJob& job) {
  return std::make_unique<ChromeMaker>(job);
}

}  // namespace polytrace::exports
