// SPDX-License-Identifier: Apache-2.0
// From events to messages: calls, memory, heap dumps, waiting.
#include "format/tptp/events/event_maker.hpp"
#include "format/tptp/events/message_maker.hpp"

namespace polytrace::format::tptp {

using base::Id;
using base::kNoId;

namespace {

constexpr std::size_t kMostFrames = 64 * 1024;
constexpr std::size_t kMostStackBytes = 1024 * 1024;  // of names
constexpr base::Duration kMillisecond = 1'000'000;

// For ids, "none" and 0 are the same in messages.
std::int64_t number_of(Id id) { return id == kNoId ? 0 : static_cast<std::int64_t>(id); }

// Where a place is a line: some formats put a native offset there, beside other numbers.
struct Line {
  std::int64_t number = 0;
  bool exact = true;
};
Line line_of(const event::FramePlace& place) {
  const bool fits = place.il == -1 && place.ip == 0 && (place.native > 0 || place.native == -1);
  return {fits && place.native > 0 ? place.native : 0, fits};
}

}  // namespace

// --- calls ---

std::int32_t MessageMaker::told_ticket(const Event& event, event::u64 ticket) {
  const auto number = static_cast<std::int32_t>(ticket);
  if (static_cast<event::u64>(number) == ticket) return number;
  lose(event, "ticket");
  return 0;
}

std::int64_t MessageMaker::class_of(Id method) { return number_of(names_.class_of(method)); }

// What the exit itself does not tell is its entry's, and the ticket is wherever that was counted.
void MessageMaker::end_call(CallRecord& record, const CallTickets::Entry& entry) {
  if (entry.ticket != 0) record.ticket = entry.ticket;
  if (record.class_id == 0) record.class_id = entry.class_id;
  if (record.class_id == 0) record.class_id = class_of(static_cast<Id>(record.method));
}

CallRecord MessageMaker::begin_call(const Event& event) {
  CallRecord record;
  if (!draft_.times().stamp(event.time, record.time)) lose(event, "time");
  const Id thread = batch_->thread(event);
  if (thread == 0) lose(event, "stream");  // it is read as none
  record.thread = number_of(thread);
  record.method = number_of(event.id);
  return record;
}

template <class Call>
CallRecord MessageMaker::begin_call(const Event& event, const Call& call) {
  CallRecord record = begin_call(event);
  record.cpu = call.cpu;
  record.object = number_of(call.object);
  record.class_id = number_of(call.class_id);
  return record;
}

void MessageMaker::make_plain_call(const Event& event) {
  CallRecord record = begin_call(event);
  const Id thread = batch_->thread(event);
  const auto method = static_cast<Id>(record.method);
  record.entry = event.kind == event::Kind::Enter;
  if (record.entry) {
    record.class_id = class_of(method);
    const auto call = tickets_.enter(thread, method, record.class_id, 0);
    record.ticket = call.ticket;
    record.depth = static_cast<std::int64_t>(call.depth);
  } else {
    end_call(record, tickets_.leave(thread, method, 0));
    if (event.kind == event::Kind::Unwind) lose(event, "kind");
  }
  write_call(record);
}

void MessageMaker::make(const Event& event, const event::Enter& call) {
  CallRecord record = begin_call(event, call);
  const auto method = static_cast<Id>(record.method);
  if (record.class_id == 0) record.class_id = class_of(method);
  const auto known = tickets_.enter(batch_->thread(event), method, record.class_id,
                                    told_ticket(event, call.ticket));
  record.ticket = known.ticket;
  record.depth = static_cast<std::int64_t>(call.depth != 0 ? call.depth : known.depth);
  write_call(record);
}

template <class Call>
void MessageMaker::make_exit(const Event& event, const Call& call) {
  CallRecord record = begin_call(event, call);
  record.entry = false;
  const std::int32_t told = told_ticket(event, call.ticket);
  record.ticket = told;
  end_call(record,
           tickets_.leave(batch_->thread(event), static_cast<Id>(record.method), record.ticket));
  if (told != 0 && record.ticket != told) lose(event, "ticket");
  if (call.depth != 0) lose(event, "depth");
  if (event.kind == event::Kind::Unwind) lose(event, "kind");
  write_call(record);
}

void MessageMaker::make(const Event& event, const event::Leave& call) { make_exit(event, call); }
void MessageMaker::make(const Event& event, const event::Unwind& call) { make_exit(event, call); }

void MessageMaker::make(const Event& event, const event::SummaryBegin& summary) {
  using F = field::AgMethodEntry;
  draft_.begin<F>(*batch_, event);
  draft_.subject(F::method_id_ref);
  draft_.count(F::num_calls, summary.calls, "calls");
  draft_.number(F::base_time, summary.total);
  draft_.number(F::min_time, summary.least);
  draft_.number(F::max_time, summary.most);
  draft_.number(F::base_cpu_time, summary.cpu);
  draft_.end(summary);
  write();
}

void MessageMaker::make(const Event& event, const event::SummaryEnd& summary) {
  draft_.begin<field::AgMethodExit>(*batch_, event);
  draft_.subject(field::AgMethodExit::method_id_ref);
  draft_.end(summary);
  write();
}

// --- memory ---

void MessageMaker::make(const Event& event, const event::Alloc& alloc) {
  using F = field::ObjAlloc;
  draft_.begin<F>(*batch_, event);
  const auto vtable = vtables_.find(event.id);
  if (vtable == vtables_.end()) draft_.subject(F::class_id_ref);
  else draft_.id(F::class_id_ref, vtable->second);
  draft_.id(F::obj_id, alloc.object);
  draft_.count(F::size, alloc.size, "size");
  draft_.hold(alloc.array);
  draft_.set(F::is_array, static_cast<std::int8_t>(alloc.array));
  draft_.hold(alloc.stack);
  const auto frames = batch_->list(alloc.stack);
  const bool told = !frames.empty() && frames.back() != 0 && frames.back() != kNoId;
  if (frames.size() > 1 || (!frames.empty() && !told)) draft_.lose("stack");
  if (told) {
    draft_.set(F::method_id_ref, static_cast<std::int64_t>(frames.back()));
    const auto places = batch_->places(alloc.stack);
    const Line line = places.empty() ? Line{} : line_of(places.back());
    draft_.set(F::line_number, line.number);
    if (!line.exact) draft_.lose("places");
  }
  draft_.end(alloc);
  write();
}

void MessageMaker::make(const Event& event, const event::Free& free) {
  using F = field::ObjFree;
  draft_.begin<F>(*batch_, event);
  draft_.subject(F::obj_id_ref);
  draft_.count(F::obj_age, free.age, "age");
  draft_.end(free);
  write();
}

void MessageMaker::make(const Event& event, const event::Gc& gc) {
  const bool start = gc.phase == event::GcPhase::start;
  if (start) draft_.begin<field::GcStart>(*batch_, event);
  else draft_.begin<field::GcFinish>(*batch_, event);
  if (event.id != kNoId) draft_.lose("collection");
  draft_.hold(gc.phase);
  draft_.end(gc);
  if (start) return write();
  gc_waits_ = true;
  gc_time_ = event.time;
  gc_thread_ = batch_->thread(event);
}

void MessageMaker::make(const Event& event, const event::HeapSize& size) {
  using F = field::GcFinish;
  gc_waits_ = false;
  if (size.total != 0 || size.used != 0 || size.objects != 0) {
    draft_.join(*batch_, event, gc_time_, gc_thread_);
    draft_.count(F::total_obj_space, size.total, "total");
    draft_.count(F::used_obj_space, size.used, "used");
    draft_.count(F::used_objects, size.objects, "objects");
    draft_.end(size);
  } else {
    lose(event);
  }
  write();
}

// --- heap dumps ---

void MessageMaker::make(const Event& event, const event::Dump& dump) {
  using F = field::HdStart;
  dump_ = event.id;
  draft_.begin<F>(*batch_, event);
  draft_.subject(F::heap_dump_id);
  draft_.text(F::name, dump.name, "name");
  write();
}

void MessageMaker::make(const Event& event, const event::DumpObject& object) {
  draft_.begin<field::ObjRef>(*batch_, event);
  draft_.subject(field::ObjRef::src_id_ref);
  draft_.id(field::ObjRef::heap_dump_id_ref, dump_);
  draft_.hold(object.refs);
  draft_.end(object);
  make_references(object);
}

// One message for each.
void MessageMaker::make_references(const event::DumpObject& object) {
  const auto refs = batch_->list(object.refs);
  const auto has_offset = [](const event::Ref& ref) { return ref.offset != 0; };
  if (refs.size() > 1 || std::ranges::any_of(refs, has_offset)) draft_.lose("refs");
  for (const event::Ref& ref : refs) {
    draft_.set(field::ObjRef::tar_id_ref, static_cast<std::int64_t>(ref.target));
    write();
  }
}

void MessageMaker::make(const Event& event, const event::Root& root) {
  using F = field::GcRoot;
  draft_.begin<F>(*batch_, event);
  draft_.subject(F::obj_id_ref);
  draft_.id(F::class_id_ref, root.class_id);
  draft_.text(F::type, root.type, "type");
  draft_.end(root);
  write();
}

// --- waiting ---

template <class F>
void MessageMaker::make_stack(const event::Stack& stack) {
  draft_.hold(stack);
  const auto frames = batch_->list(stack);
  const auto places = batch_->places(stack);
  std::size_t bytes = 0;
  bool names_exact = true;
  bool lines_exact = true;
  std::string made;
  for (std::size_t i = frames.size(); i-- > 0;) {
    std::string name = names_.name(frames[i]);
    if (!is_wire_text(name, Meaning::frame_name, made)) name = made;
    bytes += name.size();
    const std::size_t written = frames.size() - i;
    if (written > kMostFrames || bytes > kMostStackBytes) return draft_.lose("stack");
    const Line line = places.empty() ? Line{} : line_of(places[i]);
    names_exact = names_exact && frame_method_id(name) == frames[i];
    lines_exact = lines_exact && line.exact;
    draft_.add_frame(F::stack_methods, F::stack_lines, name, line.number);
    draft_.set(F::stack_depth, static_cast<std::int64_t>(written));
  }
  if (!names_exact) draft_.lose("stack");
  if (!lines_exact) draft_.lose("places");
}

template <class F, class Details>
void MessageMaker::make_wait(const Event& event, const Details& details) {
  draft_.begin<F>(*batch_, event);
  draft_.subject(F::obj_id_ref);
  draft_.hold(details.stage);
  if constexpr (requires { F::timeout; }) {
    draft_.hold(details.timeout);
    draft_.set(F::timeout, details.timeout / kMillisecond);
    if (details.timeout % kMillisecond != 0) draft_.lose("timeout");
  }
  if constexpr (requires { F::thread_owner_id_ref; })
    draft_.id(F::thread_owner_id_ref, details.owner);
  make_stack<F>(details.stack);
  draft_.end(details);
  write();
}

void MessageMaker::make(const Event& event, const event::Wait& wait) {
  write_frames(names_.release(batch_->list(wait.stack), event.time));
  if (wait.stage == event::WaitStage::start) make_wait<field::MonWait>(event, wait);
  else make_wait<field::MonWaited>(event, wait);
}

void MessageMaker::make(const Event& event, const event::Monitor& monitor) {
  using event::MonitorStage;
  write_frames(names_.release(batch_->list(monitor.stack), event.time));
  if (monitor.stage == MonitorStage::contended) make_wait<field::MonContendedEnter>(event, monitor);
  else make_wait<field::MonContendedEntered>(event, monitor);
}

}  // namespace polytrace::format::tptp
