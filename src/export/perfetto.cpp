// SPDX-License-Identifier: Apache-2.0
// Perfetto's protobuf trace. Each thread's calls are a sequence of their own, whose times are told
// as differences; everything else stands on one further sequence with times of its own. What is
// interned is told before its first use. The reader orders packets by time.
#include <fmt/format.h>

#include <deque>
#include <map>

#include "analysis/counter_names.hpp"
#include "base/utf8.hpp"
#include "export/perfetto_facts.hpp"
#include "export/timeline_calls.hpp"
#include "export/timeline_facts.hpp"

namespace polytrace::exports {
namespace {

using namespace perfetto;
using analysis::Names;
using analysis::Slice;
using base::Id;
using base::Time;
using event::Event;
using event::Kind;
using protozero::pbf_writer;

constexpr std::uint32_t kBootClock = 6;
constexpr std::uint32_t kCallClock = 64;
// A sample that counts for several is written several times, within limits.
constexpr std::uint64_t kMostCopies = 1000;
constexpr std::uint64_t kMostExtra = 1000000;  // of all samples together

class PerfettoMaker final : public TimelineMaker {
 public:
  struct Track : CallTrack {
    std::uint32_t thread = 0;
    std::uint64_t uuid = 0;
    CallHead head{};
    Time last = 0;
    std::vector<std::uint8_t> known;  // by method: see shows()
  };

  explicit PerfettoMaker(const TimelineJob& job)
      : job_(job),
        file_(job.sink),
        methods_(job.request.selection),
        facts_(file_, job.origin, methods_),
        calls_(job.request.selection, *this),
        walk_(job.request.selection),
        spans_(job.request.selection, *this) {}

  base::result<void> consume(const Slice& slice) override;
  base::result<void> finish(const Names& names) override;
  const Account& account() const override { return account_; }

  // For CallSpans.
  Track& track(std::uint32_t thread);
  bool shows(Track& track, std::uint32_t method, const Names& names) {
    if (method < track.known.size() && track.known[method] == kNamed) [[likely]]
      return true;
    return introduce(track, method, names);
  }
  bool begin(Track& track, Time time, std::uint32_t method) {
    if (events_ == job_.limit && job_.limit != 0) {
      ++cut_;
      return false;
    }
    ++events_;
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
  enum Known : std::uint8_t { kUnknown, kNamed, kNameless, kHidden };
  struct Counter {
    std::uint64_t track = 0;
    double scale = 1;
    bool is_unsigned = false;
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

  bool introduce(Track& track, std::uint32_t method, const Names& names);
  void describe_thread(const Track& track, const Names& names) {
    facts_.describe_thread(track.uuid, tid(track.thread), names.thread_name(track.thread));
  }
  std::uint64_t lane_track(Lane lane, std::uint32_t thread, const Span& span);
  bool admit();
  void flow(const Span& span, std::uint64_t waiter, Time end, const Names& names);
  std::uint64_t thread_uuid(const Slice& slice, const Event& event) {
    return track(slice.threads[event.thread]).uuid;
  }

  const TimelineJob job_;
  PacketFile file_;
  Account account_;
  MethodTexts methods_;
  Facts facts_;
  CallSpans<PerfettoMaker> calls_;
  analysis::CallWalk<CallSpans<PerfettoMaker>> walk_;
  SpanWalk<PerfettoMaker> spans_;
  ObjectClasses classes_;
  const Names* names_ = nullptr;
  std::deque<Track> tracks_;  // by thread index; uuid 0: not begun
  std::map<std::pair<Lane, std::uint64_t>, std::uint64_t> lane_tracks_;
  std::map<Id, Counter> counters_;
  std::map<std::string_view, std::uint64_t> heap_tracks_;
  base::IdTable strangers_;  // sampled threads without a stream
  std::string content_;
  bool started_ = false;
  std::uint64_t flows_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t cut_ = 0;
  std::uint64_t backwards_ = 0;
  std::uint64_t extra_left_ = kMostExtra;
  std::uint64_t capped_ = 0;  // copies of samples that were not written
};

base::result<void> PerfettoMaker::consume(const Slice& slice) {
  if (!started_ && !slice.batch.events.empty()) {
    facts_.set_first(slice.batch.events[0].time);
    started_ = true;
    facts_.describe_process();
  }
  names_ = &slice.names;
  walk_.consume(slice, calls_);
  for (const std::uint32_t i : slice.others) {
    classes_.learn(slice, slice.batch.events[i]);
    take_fact(slice, slice.batch.events[i], job_.request.selection, spans_, *this);
  }
  return file_.state();
}

auto PerfettoMaker::track(std::uint32_t thread) -> Track& {
  while (tracks_.size() <= thread) tracks_.emplace_back();
  Track& track = tracks_[thread];
  if (track.uuid != 0) return track;
  track.thread = thread;
  track.uuid = facts_.new_track();
  track.head = call_head(kFirstThread + thread);
  describe_thread(track, *names_);
  content_.clear();
  pbf_writer packet(content_);
  packet.add_uint32(field::sequence, kFirstThread + thread);
  packet.add_uint32(field::sequence_flags, 1);
  {
    pbf_writer snapshot(packet, field::clock_snapshot);
    for (const auto& [id, is_incremental] : {std::pair(kBootClock, false), {kCallClock, true}}) {
      pbf_writer clock(snapshot, 1);
      clock.add_uint32(1, id);
      clock.add_uint64(2, 0);
      if (is_incremental) clock.add_bool(3, true);
    }
  }
  {
    pbf_writer defaults(packet, field::defaults);
    {
      pbf_writer event(defaults, 11);
      event.add_uint64(field::track, track.uuid);
    }
    defaults.add_uint32(field::timestamp_clock, kCallClock);
  }
  file_.add(content_);
  return track;
}

// Once per thread and method, and each time for one without a name.
bool PerfettoMaker::introduce(Track& track, std::uint32_t method, const Names& names) {
  std::uint8_t& known = analysis::slot(track.known, method);
  if (known == kHidden) return false;
  const bool named = names.methods().named(method);
  if (!named) methods_.count_nameless(method);
  if (known == kNameless && !named) return true;
  if (!methods_.shows(method, names)) {
    known = kHidden;
    return false;
  }
  known = named ? kNamed : kNameless;
  content_.clear();
  pbf_writer packet(content_);
  packet.add_uint32(field::sequence, kFirstThread + track.thread);
  packet.add_uint32(field::sequence_flags, 2);
  {
    pbf_writer interned(packet, field::interned);
    pbf_writer name(interned, 2);
    name.add_uint64(1, iid(method, named));
    name.add_string(2, base::repaired(names.method_name(method)));
  }
  file_.add(content_);
  return true;
}

std::uint64_t PerfettoMaker::lane_track(Lane lane, std::uint32_t thread, const Span& span) {
  const bool of_process = lane == Lane::collections || lane == Lane::pauses;
  const std::uint64_t number = lane == Lane::collections ? span.subject
                               : of_process              ? 0
                                                         : std::uint64_t{thread};
  const auto [entry, fresh] = lane_tracks_.try_emplace({lane, number}, 0);
  if (!fresh) return entry->second;
  const std::uint64_t uuid = entry->second = facts_.new_track();
  if (!of_process) {
    facts_.describe_track(uuid, track(thread).uuid, describe(lane).title);
    return uuid;
  }
  facts_.describe_track(kCollector, kProcess, "Garbage collector");
  std::string name(describe(lane).title);
  if (lane == Lane::collections) name += " of " + span_name(lane, span, *names_);
  facts_.describe_track(uuid, kCollector, name);
  return uuid;
}

bool PerfettoMaker::admit() {
  if (job_.limit != 0 && events_ >= job_.limit) {
    ++cut_;
    return false;
  }
  ++events_;
  return true;
}

void PerfettoMaker::open_span(Lane lane, std::uint32_t thread, const Span& span, const Slice& slice,
                              const Event& event) {
  std::uint32_t stack = 0;
  if (event.kind == Kind::Monitor)
    stack = facts_.callstack(slice, slice.batch.details_or<event::Monitor>(event, {}).stack, false);
  if (event.kind == Kind::Wait)
    stack = facts_.callstack(slice, slice.batch.details_or<event::Wait>(event, {}).stack, false);
  const std::uint64_t uuid = lane_track(lane, thread, span);
  ++events_;
  facts_.add_event(EventType::begin, uuid, span.start, [&](pbf_writer& writer) {
    writer.add_string(field::name, base::repaired(span_name(lane, span, slice.names)));
    const std::string_view category = describe(lane).category;
    writer.add_string(field::categories, category.data(), category.size());
    if (stack != 0) writer.add_uint64(field::callstack_iid, stack);
    if (span.owner != base::kNoId)
      Facts::annotate(writer, "owner", fmt::format("{:#x}", span.owner));
    if (lane == Lane::collections || lane == Lane::pauses)
      Facts::annotate(writer, "thread", slice.names.thread_name(thread));
  });
}

void PerfettoMaker::close_span(Lane lane, std::uint32_t thread, const Span& span, Time end,
                               bool failed, const Names& names) {
  const std::uint64_t uuid = lane_track(lane, thread, span);
  if (lane == Lane::locks && !failed) flow(span, uuid, end, names);
  facts_.add_event(EventType::end, uuid, end, [&](pbf_writer& writer) {
    if (failed) Facts::annotate(writer, "result", "failed");
  });
}

// From who had the lock to who waited for it.
void PerfettoMaker::flow(const Span& span, std::uint64_t waiter, Time end, const Names& names) {
  if (span.owner == base::kNoId) return;
  const std::uint32_t owner = names.thread_index(span.owner);
  if (owner == Names::kNone) return;
  const std::uint64_t id = ++flows_;
  const std::uint64_t holder = lane_track(Lane::locks, owner, span);
  facts_.add_event(EventType::instant, holder, end, [&](pbf_writer& writer) {
    writer.add_string(field::name, "releases " + span_name(Lane::locks, span, names));
    writer.add_fixed64(field::flow_ids, id);
  });
  facts_.add_event(EventType::instant, waiter, end, [&](pbf_writer& writer) {
    writer.add_string(field::name, "has " + span_name(Lane::locks, span, names));
    writer.add_fixed64(field::terminating_flow_ids, id);
  });
}

void PerfettoMaker::sample(const Slice& slice, const Event& event) {
  const auto details = slice.batch.details_or<event::Sample>(event, {});
  if (details.mode == event::SampleMode::change) return account_.leave_out(Kind::Sample);
  if (!admit()) return;
  const std::uint32_t thread = slice.names.thread_index(event.id);
  std::int32_t number = 0;
  if (thread != Names::kNone) number = tid(track(thread).thread);
  else number = stranger_tid(strangers_.index(event.id));
  const std::uint32_t stack = facts_.callstack(slice, details.stack, true);
  const std::uint64_t copies = std::max<std::uint64_t>(details.weight, 1);
  const std::uint64_t extra = std::min({copies - 1, kMostCopies - 1, extra_left_});
  extra_left_ -= extra;
  capped_ += copies - 1 - extra;
  for (std::uint64_t i = 0; i <= extra; ++i) facts_.add_sample(event.time, number, stack);
}

void PerfettoMaker::allocation(const Slice& slice, const Event& event) {
  if (!admit()) return;
  const Allocation allocated = allocation_of(slice.batch, event);
  const std::uint32_t stack = facts_.callstack(slice, allocated.stack, false);
  const std::uint32_t name = facts_.class_name(slice.names.class_index(event.id), slice.names);
  const std::uint64_t uuid = thread_uuid(slice, event);
  facts_.add_event(EventType::instant, uuid, event.time, [&](pbf_writer& writer) {
    writer.add_uint64(field::name_iid, name);
    writer.add_string(field::categories, "alloc");
    if (stack != 0) writer.add_uint64(field::callstack_iid, stack);
    Facts::annotate(writer, "bytes", allocated.bytes);
    if (allocated.count != 1) Facts::annotate(writer, "objects", allocated.count);
  });
}

void PerfettoMaker::throwing(const Slice& slice, const Event& event) {
  if (!admit()) return;
  const auto details = slice.batch.details_or<event::Throw>(event, {});
  const std::uint32_t stack = facts_.callstack(slice, details.stack, false);
  const std::uint64_t uuid = thread_uuid(slice, event);
  const std::string name =
      "throws " + thrown_class(classes_.find(event.id, details.class_id, slice.names), slice.names);
  facts_.add_event(EventType::instant, uuid, event.time, [&](pbf_writer& writer) {
    writer.add_string(field::name, base::repaired(name));
    writer.add_string(field::categories, "throw");
    if (stack != 0) writer.add_uint64(field::callstack_iid, stack);
    if (event.id != base::kNoId) Facts::annotate(writer, "object", fmt::format("{:#x}", event.id));
  });
}

void PerfettoMaker::clause(const Slice& slice, const Event& event) {
  if (!admit()) return;
  const auto details = slice.batch.details_or<event::Clause>(event, {});
  const std::uint64_t uuid = thread_uuid(slice, event);
  const std::string method = slice.names.method_name(slice.names.methods().index(event.id));
  facts_.add_event(EventType::instant, uuid, event.time, [&](pbf_writer& writer) {
    writer.add_string(field::name,
                      base::repaired(fmt::format("{} in {}", event::name(details.clause), method)));
    writer.add_string(field::categories, "clause");
  });
}

// Recorded in units of their own: see analysis/counters.cpp.
void PerfettoMaker::define_counter(const Event& event, const event::CounterDef& details) {
  Counter& counter = counters_[event.id];
  const bool interval = details.type == event::CounterType::interval;
  const bool time = details.unit == event::CounterUnit::time;
  counter.scale = interval ? 1e-3 : time ? 1e-4 : 1;
  counter.is_unsigned =
      details.type == event::CounterType::uint32 || details.type == event::CounterType::uint64;
  counter.track =
      facts_.counter_track(analysis::counter_section(details) + ": " + std::string(details.name),
                           details.unit, interval || time ? "ms" : "");
}

void PerfettoMaker::counter(const Slice& slice, const Event& event) {
  const auto details = slice.batch.details_or<event::CounterValue>(event, {});
  if (details.type == event::CounterType::string) return account_.leave_out(Kind::CounterValue);
  if (!admit()) return;
  Counter& counter = counters_[event.id];
  if (counter.track == 0)
    counter.track =
        facts_.counter_track(fmt::format("counter {:#x}", event.id), event::CounterUnit::raw, "");
  facts_.add_event(EventType::counter, counter.track, event.time, [&](pbf_writer& writer) {
    const double factor = counter.scale;
    if (details.type == event::CounterType::real)
      writer.add_double(field::double_counter_value, details.real * factor);
    else if (factor == 1 && !(counter.is_unsigned && details.number < 0))
      writer.add_int64(field::counter_value, details.number);
    else
      writer.add_double(
          field::double_counter_value,
          factor * (counter.is_unsigned
                        ? static_cast<double>(static_cast<std::uint64_t>(details.number))
                        : static_cast<double>(details.number)));
  });
}

void PerfettoMaker::heap_size(const Slice& slice, const Event& event) {
  const auto details = slice.batch.details_or<event::HeapSize>(event, {});
  const std::tuple<std::string_view, std::uint64_t, event::CounterUnit> figures[]{
      {"Heap", details.total, event::CounterUnit::bytes},
      {"Heap in use", details.used, event::CounterUnit::bytes},
      {"Objects in the heap", details.objects, event::CounterUnit::count}};
  if (!details.generation.empty() || !admit())
    return details.generation.empty() ? void() : account_.leave_out(Kind::HeapSize);
  for (const auto& [name, value, unit] : figures) {
    if (value == 0) continue;
    std::uint64_t& uuid = heap_tracks_[name];
    if (uuid == 0) uuid = facts_.counter_track(name, unit, "");
    facts_.add_event(EventType::counter, uuid, event.time, [&, much = value](pbf_writer& writer) {
      writer.add_int64(field::counter_value, static_cast<std::int64_t>(much));
    });
  }
}

void PerfettoMaker::remark(Time time, std::string_view text) {
  if (!admit()) return;
  if (heap_tracks_.try_emplace("remarks", kRemarks).second)
    facts_.describe_track(kRemarks, kProcess, "Remarks");
  facts_.add_event(EventType::instant, kRemarks, time, [&](pbf_writer& writer) {
    writer.add_string(field::name, base::repaired(text));
  });
}

base::result<void> PerfettoMaker::finish(const Names& names) {
  names_ = &names;
  walk_.finish(calls_);
  spans_.finish(names);
  for (const Track& track : tracks_)
    if (track.uuid != 0) describe_thread(track, names);  // names may have come since
  facts_.describe_process();
  for (std::uint32_t i = 0; i < strangers_.size(); ++i)
    facts_.describe_thread(facts_.new_track(), stranger_tid(i),
                           fmt::format("{:#x}", strangers_.id(i)));
  account_.notes = walk_.repairs().notes();
  methods_.tell(names, calls_.hidden(), account_);
  account_.cut("events", cut_, fmt::format("--limit {}", job_.limit));
  const auto note = [&](std::uint64_t count, std::string_view text) {
    if (count != 0) account_.notes.push_back(fmt::format("{} {}", count, text));
  };
  spans_.tell(account_);
  note(backwards_, "times of calls ran backwards and were put right.");
  note(facts_.misplaced(), "times before the beginning were put there.");
  note(capped_, "copies of samples left out that count for many.");
  if (facts_.shift() != 0)
    note(static_cast<std::uint64_t>(facts_.shift()), "ns were added to all times.");
  if (job_.origin.wall != base::kNoTime) facts_.add_wall(job_.origin.wall_at, job_.origin.wall);
  Time last = 0;
  for (const Track& track : tracks_) last = std::max(last, track.last);
  for (const std::string& sentence : account_.sentences()) remark(last - facts_.shift(), sentence);
  return file_.flush();
}

}  // namespace

std::unique_ptr<TimelineMaker> make_perfetto(const TimelineJob& job) {
  return std::make_unique<PerfettoMaker>(job);
}

}  // namespace polytrace::exports
