// SPDX-License-Identifier: Apache-2.0
// JDK Flight Recorder's files: chunks that stand alone, each with the events of a part of the trace
// and the constants that they use. What Java's viewers know goes into events of the JDK's names,
// every call into one of ours, all other events of the catalogue into events of their own names.
#include <fmt/format.h>

#include "base/slot.hpp"
#include "event/visit.hpp"
#include "exports/jfr/jfr_collections.hpp"
#include "exports/jfr/jfr_metadata.hpp"
#include "exports/jfr/jfr_pools.hpp"
#include "exports/target.hpp"
#include "exports/timelines/calls.hpp"
#include "exports/timelines/caps.hpp"
#include "exports/timelines/facts.hpp"

namespace polytrace::exports {
namespace {

using namespace jfr;
using base::Id;
using base::Time;
using event::Event;
using event::Kind;
using event::Tag;
using slice::Names;
using slice::Slice;

constexpr std::size_t kChunk = std::size_t{8} << 20;  // bytes of events

// Writes the details of any event.
struct JfrFieldWriter {
  Bytes& out;
  Pools& pools;
  const Slice& slice;

  template <Tag tag, class T>
  void field(const char* name, const T& value) {
    if constexpr (event::is_text(tag)) out.text(field_text(name, value));
    else if constexpr (std::is_enum_v<T>) out.text(event::name(value));
    else if constexpr (tag == Tag::kf64) out.real(value);
    else if constexpr (tag == Tag::kStack) out.number(pools.stack(slice, value, false));
    else if constexpr (tag == Tag::kIlMap) list(slice.batch.list(value), &event::IlRange::begin);
    else if constexpr (tag == Tag::kRefs) list(slice.batch.list(value), &event::Ref::target);
    else if constexpr (tag == Tag::kNatives) list(slice.batch.list(value), std::identity{});
    else out.number(static_cast<std::uint64_t>(value));
  }
  template <class List, class Member>
  void list(const List& items, Member member) {
    out.number(std::uint64_t{items.size()});
    for (const auto& item : items) out.number(std::uint64_t{std::invoke(member, item)});
  }
};

class JfrMaker final : public TimelineMaker {
 public:
  using Track = CallTrack;

  explicit JfrMaker(const TimelineJob& job)
      : job_(job),
        methods_(job.request.selection),
        pools_(methods_),
        calls_(job.request.selection, *this),
        walk_(job.request.selection),
        spans_(job.request.selection, *this) {
    write_metadata(metadata_);
  }

  base::result<void> consume(const Slice& slice) override {
    walk_.consume(slice, calls_);
    for (const std::uint32_t i : slice.others) {
      const Event& event = slice.batch.events[i];
      classes_.learn(slice, event);
      if (!is_taken_as_name(event.kind))
        take_fact(slice, event, job_.request.selection, spans_, *this);
      else if (selects(job_.request.selection, slice.batch, event)) other(slice, event);
      if (auto full = end_full_chunk(slice.names); !full) return full;
    }
    return end_full_chunk(slice.names);
  }
  base::result<void> finish(const Names& names) override;
  const Account& account() const override { return account_; }

  // For CallSpans.
  Track& track(std::uint32_t thread) { return track_of(tracks_, thread); }
  bool shows(Track&, std::uint32_t method, const Names& names) { return shown_.has(method, names); }
  bool begin(Track&, Time, std::uint32_t) { return cap_.admit(); }
  void end(Track& track, std::uint32_t method, Time start, Time end) {
    start = std::max(start, job_.request.selection.from);
    reach(start, end);
    char* const event = out_.room(64);
    char* at = event + 1;  // shorter than 128 bytes: one for the size
    at = Bytes::put(at, type::call_t);
    at = Bytes::put(at, static_cast<std::uint64_t>(start));
    at = Bytes::put(at, length(start, end));
    at = Bytes::put(at, pools_.thread(track.thread));
    at = Bytes::put(at, pools_.method(method));
    *event = static_cast<char>(at - event);
    out_.take(at);
  }

  // For SpanWalk.
  void open_span(Lane lane, std::uint32_t thread, Span& span, const Slice& slice,
                 const Event& event);
  void close_span(Lane lane, std::uint32_t thread, const Span& span, Time end, bool failed,
                  const Names& names);
  // For take_fact().
  void sample(const Slice& slice, const Event& event);
  void allocation(const Slice& slice, const Event& event);
  void throwing(const Slice& slice, const Event& event);
  void clause(const Slice& slice, const Event& event) { other(slice, event); }
  void define_counter(const Event&, const event::CounterDef&) {}
  void counter(const Slice& slice, const Event& event) { other(slice, event); }
  void heap_size(const Slice& slice, const Event& event);
  void remark(const Slice& slice, const Event& event) { other(slice, event); }
  void other(const Slice& slice, const Event& event);

 private:
  static std::uint64_t length(Time start, Time end) {
    return end < start ? 0 : static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(start);
  }
  void reach(Time start, Time end) {
    first_ = std::min(first_, start);
    last_ = std::max(last_, end);
  }
  std::size_t begin_event(std::uint64_t type, Time start) {
    reach(start, start);
    const std::size_t event = out_.begin(type);
    out_.number(start);
    return event;
  }
  std::uint64_t thread_of(Id id, const Names& names) {
    if (id == base::kNoId) return 0;
    const std::uint32_t index = names.thread_index(id);
    return index == Names::kNone ? pools_.stranger(id) : pools_.thread(index);
  }
  base::result<void> end_full_chunk(const Names& names) {
    return out_.size() < kChunk ? base::result<void>{} : end_chunk(names);
  }
  base::result<void> end_chunk(const Names& names);
  void write_collections(const std::vector<Collection>& collections, const Names& names);
  void write_heap(Time time, std::string_view when);
  void write_allocated();

  const TimelineJob job_;
  Account account_;
  EventCap cap_{job_.limit};
  SampleCopies copies_;
  MethodTexts methods_;
  ShownMethods shown_{methods_};
  Pools pools_;
  CallSpans<JfrMaker> calls_;
  analysis::CallWalk<CallSpans<JfrMaker>> walk_;
  SpanWalk<JfrMaker> spans_;
  ObjectClasses classes_;
  Bytes metadata_;
  Bytes out_;                                      // the events of the chunk
  std::deque<Track> tracks_;                       // by thread index
  Time first_ = std::numeric_limits<Time>::max();  // of the chunk
  Time last_ = std::numeric_limits<Time>::min();
  std::uint64_t chunks_ = 0;
  Collections collections_;
  std::uint64_t heap_ = 0;                // bytes, as last told; 0 = not told
  std::uint32_t measured_ = 0;            // the collection whose heap was told afterwards
  std::vector<std::uint64_t> allocated_;  // bytes, by thread index
};

// A span keeps the stack that it began with.
void JfrMaker::open_span(Lane lane, std::uint32_t thread, Span& span, const Slice& slice,
                         const Event& event) {
  cap_.add();
  if (lane == Lane::pauses) collections_.begin_pause();
  if (lane == Lane::collections) {
    span.stack =
        collections_.begin(thread, span, slice.batch.details_or<event::Gc>(event, {}).reason);
    write_heap(span.start, "Before GC");
  }
  if (lane == Lane::locks)
    span.stack = pools_.node(slice, slice.batch.details_or<event::Monitor>(event, {}).stack);
  if (lane == Lane::waits)
    span.stack = pools_.node(slice, slice.batch.details_or<event::Wait>(event, {}).stack);
}

void JfrMaker::close_span(Lane lane, std::uint32_t thread, const Span& span, Time end, bool failed,
                          const Names& names) {
  if (lane == Lane::collections) return write_collections(collections_.end(span.stack, end), names);
  constexpr type::Id kTypes[kLanes]{type::collection_t, type::pause_t, type::compilation_t,
                                    type::load_t,       type::lock_t,  type::wait_t,
                                    type::finalizer_t};
  reach(span.start, end);
  const std::size_t event = begin_event(kTypes[static_cast<std::size_t>(lane)], span.start);
  out_.number(length(span.start, end));
  out_.number(pools_.thread(thread));
  const auto object_class = [&] {
    return pools_.class_of(classes_.find(span.subject, span.class_id, names));
  };
  switch (lane) {
    case Lane::collections: break;
    case Lane::pauses:
      out_.number(std::uint64_t{collections_.latest()});
      out_.text("world stopped");
      break;
    case Lane::compiling:
      out_.number(span.is_runtime_id ? 0 : pools_.method(names.methods().index(span.subject)));
      out_.number(std::uint64_t{0});  // level: not told
      out_.byte(failed ? 0 : 1);
      out_.byte(span.is_cached ? 1 : 0);
      out_.number(span.is_runtime_id ? span.subject : 0);
      break;
    case Lane::loading: out_.number(pools_.class_of(names.class_index(span.subject))); break;
    case Lane::locks:
      out_.number(pools_.known(span.stack));
      out_.number(object_class());
      out_.number(thread_of(span.owner, names));
      out_.number(span.subject);
      out_.byte(failed ? 0 : 1);
      break;
    case Lane::waits:
      out_.number(pools_.known(span.stack));
      out_.number(object_class());
      out_.number(span.timeout);
      out_.number(span.subject);
      break;
    case Lane::finalizers: out_.number(span.subject); break;
  }
  out_.end(event);
  if (lane == Lane::pauses) write_collections(collections_.end_pause(span.start, end), names);
}

// Each with the event that tells young from old, where its generation is told.
void JfrMaker::write_collections(const std::vector<Collection>& collections, const Names& names) {
  for (const Collection& one : collections) {
    reach(one.span.start, one.end);
    const std::uint64_t duration = length(one.span.start, one.end);
    std::size_t event = begin_event(type::collection_t, one.span.start);
    out_.number(duration);
    out_.number(pools_.thread(one.thread));
    out_.number(std::uint64_t{one.number});
    out_.text(span_name(Lane::collections, one.span, names));
    out_.text(one.cause);
    out_.number(one.pauses);
    out_.number(one.longest_pause);
    out_.end(event);
    if (one.span.subject == base::kNoId) continue;
    event = begin_event(one.span.subject == 0 ? type::young_t : type::old_t, one.span.start);
    out_.number(duration);
    out_.number(std::uint64_t{one.number});
    out_.end(event);
  }
}

void JfrMaker::heap_size(const Slice& slice, const Event& event) {
  other(slice, event);
  const auto size = slice.batch.details_or<event::HeapSize>(event, {});
  heap_ = size.used != 0 ? size.used : size.total;
  if (measured_ == collections_.latest()) return;
  measured_ = collections_.latest();
  write_heap(event.time, "After GC");
}

void JfrMaker::write_heap(Time time, std::string_view when) {
  if (heap_ == 0) return;
  const std::size_t event = begin_event(type::heap_t, time);
  out_.number(std::uint64_t{collections_.latest()});
  out_.text(when);
  out_.number(heap_);
  out_.end(event);
}

void JfrMaker::write_allocated() {
  const Time last = first_ > last_ ? 0 : last_;
  for (std::uint32_t thread = 0; thread < allocated_.size(); ++thread) {
    if (allocated_[thread] == 0) continue;
    const std::size_t event = begin_event(type::allocated_t, last);
    out_.number(allocated_[thread]);
    out_.number(pools_.thread(thread));
    out_.end(event);
  }
}

void JfrMaker::sample(const Slice& slice, const Event& event) {
  const auto details = slice.batch.details_or<event::Sample>(event, {});
  if (details.mode == event::SampleMode::change) return other(slice, event);
  if (!cap_.admit()) return;
  const std::uint64_t thread = thread_of(event.id, slice.names);
  const std::uint64_t stack = pools_.stack(slice, details.stack, true);
  for (std::uint64_t left = copies_.take(details.weight); left != 0; --left) {
    const std::size_t start = begin_event(type::sample_t, event.time);
    out_.number(thread);
    out_.number(stack);
    out_.number(std::uint64_t{1});  // runnable
    out_.end(start);
  }
}

void JfrMaker::allocation(const Slice& slice, const Event& event) {
  if (!cap_.admit()) return;
  const Allocation allocated = allocation_of(slice.batch, event);
  const std::size_t start = begin_event(type::allocation_t, event.time);
  const std::uint32_t thread = slice.threads[event.thread];
  base::slot(allocated_, thread) += allocated.bytes;
  out_.number(pools_.thread(thread));
  out_.number(pools_.stack(slice, allocated.stack, false));
  out_.number(pools_.class_of(slice.names.class_index(event.id)));
  out_.number(allocated.bytes);
  out_.number(allocated.count);
  out_.end(start);
}

void JfrMaker::throwing(const Slice& slice, const Event& event) {
  if (!cap_.admit()) return;
  const auto details = slice.batch.details_or<event::Throw>(event, {});
  const std::size_t start = begin_event(type::throwing_t, event.time);
  out_.number(pools_.thread(slice.threads[event.thread]));
  out_.number(pools_.stack(slice, details.stack, false));
  out_.text("");
  out_.number(pools_.class_of(classes_.find(event.id, details.class_id, slice.names)));
  out_.end(start);
}

void JfrMaker::other(const Slice& slice, const Event& event) {
  if (!cap_.admit()) return;
  const std::size_t start = begin_event(type_of(event.kind), event.time);
  out_.number(pools_.thread(slice.threads[event.thread]));
  const type::Id subject = subject_type(event.kind);
  if (subject == type::method_t)
    out_.number(event.id == base::kNoId ? 0 : pools_.method(slice.names.methods().index(event.id)));
  else if (subject == type::class_t)
    out_.number(event.id == base::kNoId ? 0 : pools_.class_of(slice.names.class_index(event.id)));
  else if (subject != type::none) out_.number(event.id);
  JfrFieldWriter writer{out_, pools_, slice};
  event::with_details(slice.batch, event,
                      [&](const auto& details) { visit_fields(writer, details); });
  out_.end(start);
}

base::result<void> JfrMaker::end_chunk(const Names& names) {
  constexpr std::uint64_t kHeader = 68, kTicksPerSecond = 1000000000;
  if (first_ > last_) first_ = last_ = 0;
  Bytes checkpoint;
  pools_.write(checkpoint, first_, names);
  const std::uint64_t events = kHeader + metadata_.size();
  const Time wall = job_.origin.wall_of(first_);
  Bytes header;
  header.append(std::string_view("FLR\0", 4));
  header.big_endian(2, 2);
  header.big_endian(0, 2);
  header.big_endian(events + out_.size() + checkpoint.size(), 8);
  header.big_endian(events + out_.size(), 8);
  header.big_endian(kHeader, 8);
  header.big_endian(static_cast<std::uint64_t>(wall == base::kNoTime ? first_ : wall), 8);
  header.big_endian(length(first_, last_), 8);
  header.big_endian(static_cast<std::uint64_t>(first_), 8);
  header.big_endian(kTicksPerSecond, 8);
  header.big_endian(1, 4);  // compressed integers
  for (const Bytes* part : {&header, &metadata_, &out_, &checkpoint})
    if (auto written = job_.sink.write(std::as_bytes(std::span(part->view()))); !written)
      return written;
  out_.clear();
  pools_.begin_chunk();
  first_ = std::numeric_limits<Time>::max();
  last_ = std::numeric_limits<Time>::min();
  ++chunks_;
  return {};
}

base::result<void> JfrMaker::finish(const Names& names) {
  walk_.finish(calls_);
  spans_.finish(names);
  write_allocated();
  account_.notes = analysis::repair_notes(walk_.repairs());
  account_.limits = pools_.limits();
  methods_.tell(names, calls_.hidden(), account_);
  cap_.tell(account_);
  spans_.tell(account_);
  copies_.tell(account_);
  const Time last = first_ > last_ ? 0 : last_;
  for (const std::string& sentence : account_.sentences()) {
    const std::size_t start = begin_event(type::account_t, last);
    out_.text(sentence);
    out_.end(start);
  }
  return out_.size() == 0 && chunks_ != 0 ? base::result<void>{} : end_chunk(names);
}

}  // namespace

std::unique_ptr<TimelineMaker> make_jfr(const TimelineJob& job) {
  return std::make_unique<JfrMaker>(job);
}

}  // namespace polytrace::exports
