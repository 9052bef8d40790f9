// SPDX-License-Identifier: Apache-2.0
// From events to records: which record, in which buffer, with what before it.
#include <bit>

#include "event/visit.hpp"
#include "format/mlpd/records/choose_record.hpp"
#include "format/mlpd/records/layout.hpp"
#include "format/mlpd/records/record_writer.hpp"
#include "format/mlpd/writer.hpp"

namespace polytrace::format::mlpd {
namespace {

using event::Event;
using event::Kind;
using event::Life;

constexpr std::size_t kBufferFull = 60'000;  // recorders use 64 KiB
constexpr std::size_t kListItems = 4096;     // per record

template <class T>
constexpr bool kIsCall = std::is_same_v<T, event::Enter> || std::is_same_v<T, event::Leave> ||
                         std::is_same_v<T, event::Unwind>;
template <class T>
constexpr bool kIsList =
    std::is_same_v<T, event::Move> || std::is_same_v<T, event::Root> ||
    std::is_same_v<T, event::CounterDef> || std::is_same_v<T, event::CounterValue>;
template <class T>
constexpr bool kIsHeader = std::is_same_v<T, event::Process> || std::is_same_v<T, event::Clock>;

template <class T>
constexpr std::uint8_t kListRecord = std::is_same_v<T, event::Move>         ? kGcMove
                                     : std::is_same_v<T, event::Root>       ? kHeapRoot
                                     : std::is_same_v<T, event::CounterDef> ? kCounterDefs
                                                                            : kCounters;
template <class T>
concept HasLayout =
    requires(RecordWriter& writer, base::Id& id, T& details) { layout(writer, id, details); };
template <class T>
concept HasStackLayout =
    requires(RecordWriter& writer, base::Id& id, T& details) { layout(writer, id, details, true); };

}  // namespace

bool MlpdWriter::holds(Kind kind, std::string_view version) {
  const unsigned number = version == "1" ? 1 : 17;
  return event::with_kind(kind, [number](auto details) {
    using T = decltype(details);
    if constexpr (kIsHeader<T>) return true;
    else if constexpr (kIsList<T>) return find_record(kListRecord<T>)->legal_in(number);
    else if constexpr (std::is_same_v<T, event::Sample>) return number >= 14;
    else if constexpr (std::is_same_v<T, event::Vtable>) return true;
    else {
      if constexpr (std::is_same_v<T, event::Setting>) details.key = kAotIdKey;
      if constexpr (std::is_same_v<T, event::Thread>) details.life = Life::name;
      const MaybeChoice choice = choose(details, number);
      return choice && find_record(choice->first)->legal_in(number);
    }
  });
}

template <class T>
const T& MlpdWriter::details(const Event& event) const {
  static const T none{};
  return batch_->details_or<T>(event, none);
}

// How many events from `at` on go into one list record: same kind, time and thread.
std::size_t MlpdWriter::run_length(std::size_t at) const {
  const Event& first = batch_->events[at];
  std::size_t end = at + 1;
  while (end < batch_->events.size() && end - at < kListItems) {
    const Event& next = batch_->events[end];
    if (next.kind != first.kind || next.time != first.time || next.thread != first.thread) break;
    ++end;
  }
  return end - at;
}

bool MlpdWriter::start(std::uint8_t first, const Event& event) {
  const Record* record = find_record(first);
  if (record == nullptr || !record->legal_in(version_)) return false;
  const base::Id thread = batch_->thread(event);
  if (!header_done_) append_header();
  if (records_.thread() != thread || records_.size() >= kBufferFull) close_buffer();
  if (records_.empty()) open_buffer(thread, event.time);
  const bool timed = version_ >= record->timed_since;
  if (!timed && event.time != records_.time()) loss_.field(event.kind, "time");
  records_.start_record(first, event.time, timed, *batch_);
  return true;
}

// A header before major 3 has no clock of its own: readers take the first buffer's time for it.
void MlpdWriter::open_buffer(base::Id thread, base::Time time) {
  const bool tells_clock = first_buffer_ && have_clock_ && header_.major < 3;
  records_.open(thread, tells_clock ? header_.startup_ns : time);
  first_buffer_ = false;
}

void MlpdWriter::put_call(const Event& event) {
  const std::uint8_t first = event.kind == Kind::Enter   ? kEnter
                             : event.kind == Kind::Leave ? kLeave
                                                         : kUnwind;
  start(first, event);
  records_.method(event.id);
  if (event.id == base::kNoId) loss_.field(event.kind, "method");  // becomes 0
  lost_of_calls_.see(*batch_, event);
}

std::size_t MlpdWriter::put_calls(std::size_t at) {
  if (records_.empty()) return 0;
  const Event* const first = batch_->events.begin() + at;
  if (!event::is_call(first->kind) || batch_->thread(*first) != records_.thread()) return 0;
  const std::size_t count =
      records_.calls({first, batch_->events.end()}, first->thread, kBufferFull);
  for (std::size_t i = 0; i < count; ++i) lost_of_calls_.see(*batch_, first[i]);
  return count;
}

template <class T>
void MlpdWriter::put_event(const Event& event, T details) {
  before(event, details);
  const MaybeChoice choice = choose(details, version_);
  if (!choice || !start(choice->first, event)) {
    // An old version tells a vtable as the class it stands for: see before().
    if (std::is_same_v<T, event::Vtable> && version_ < 15)
      return loss_.field(event.kind, "class_id");
    return lose(event);
  }
  if (choice->metadata) records_.out().byte(static_cast<std::uint8_t>(*choice->metadata));
  base::Id id = event.id;
  FieldProbe probe(version_);
  if constexpr (HasStackLayout<T>) {
    if (choice->with_stack && details.stack.places != event::kAbsent)
      loss_.field(event.kind, "places");
    layout(records_, id, details, choice->with_stack);
    layout(probe, id, details, choice->with_stack);
  } else if constexpr (HasLayout<T>) {
    layout(records_, id, details);
    layout(probe, id, details);
  }
  LostFields lost(loss_, event.kind, probe);
  visit_fields(lost, details);
  const auto& subject = event::describe(event.kind).subject;
  if (id != base::kNoId && subject != "none" && !probe.noted(&id)) loss_.field(event.kind, subject);
  tell_inexact(event);
}

// Values that the format rounds or cuts.
void MlpdWriter::tell_inexact(const Event& event) {
  if (const auto what = records_.take_inexact(); !what.empty()) loss_.field(event.kind, what);
}

template <class T>
void MlpdWriter::put_list(std::uint8_t first, std::size_t at, std::size_t count) {
  const Event& event = batch_->events[at];
  if (!start(first, event)) {
    for (std::size_t i = 0; i < count; ++i) lose(event);
    return;
  }
  const bool pairs = std::is_same_v<T, event::Move>;
  const bool ended_by_zero = std::is_same_v<T, event::CounterValue>;
  if (!ended_by_zero) records_.out().uleb(pairs ? 2 * count : count);
  for (std::size_t i = at; i < at + count; ++i) {
    const Event& item = batch_->events[i];
    put_item(item, details<T>(item));
    tell_inexact(item);
  }
  if (ended_by_zero) records_.out().uleb(0);
}

void MlpdWriter::put_item(const Event& event, event::Move move) {
  records_.object(event.id);
  records_.object(move.to);
}

void MlpdWriter::put_item(const Event& event, const event::Root& root) {
  if (root.flags != 0) loss_.field(event.kind, "flags");
  if (root.extra != 0) loss_.field(event.kind, "extra");
  if (root.collection != base::kNoId) loss_.field(event.kind, "collection");
  if (!root.type.empty()) loss_.field(event.kind, "type");
  if (root.class_id != base::kNoId) loss_.field(event.kind, "class_id");
  records_.pointer(root.address);
  records_.object(event.id);
}

void MlpdWriter::put_item(const Event& event, const event::CounterDef& counter) {
  static constexpr unsigned kVariance[]{0, 1, 2, 4};
  counters_.define(event.id, counter);
  base::Appender& out = records_.out();
  out.uleb(counter.section);
  if (counter.section == kPerformanceSection) records_.text(counter.section_name);
  else if (!counter.section_name.empty()) loss_.field(event.kind, "section_name");
  records_.text(counter.name);
  out.uleb(static_cast<std::uint64_t>(counter.type));
  out.uleb(static_cast<std::uint64_t>(counter.unit) << 24);
  out.uleb(std::uint64_t{kVariance[static_cast<std::size_t>(counter.variance)]} << 28);
  out.uleb(event.id);
}

void MlpdWriter::put_item(const Event& event, event::CounterValue value) {
  using event::CounterType;
  if (event.id == 0) return lose(event);  // 0 ends the list
  const bool real = value.type == CounterType::real;
  const bool string = value.type == CounterType::string;
  if ((real || string) && value.number != 0) loss_.field(event.kind, "number");
  if (!real && std::bit_cast<std::uint64_t>(value.real) != 0) loss_.field(event.kind, "real");
  if (!string && !value.text.empty()) loss_.field(event.kind, "text");
  counters_.take_apart(event.id, value);
  base::Appender& out = records_.out();
  out.uleb(event.id);
  out.uleb(static_cast<std::uint64_t>(value.type));
  if (value.type == CounterType::uint32 || value.type == CounterType::uint64) {
    out.uleb(static_cast<std::uint64_t>(value.number));
  } else if (value.type == CounterType::real) {
    out.fixed(value.real);
  } else if (value.type == CounterType::string) {
    out.byte(value.text.data() == nullptr ? 0 : 1);
    if (value.text.data() != nullptr) records_.text(value.text);
  } else {
    out.sleb(value.number);
  }
}

void MlpdWriter::put_sample(const Event& event, const event::Sample& sample) {
  if (version_ < 14 || !start(kHit, event)) return lose(event);
  if (sample.mode != event::SampleMode::unknown) loss_.field(event.kind, "mode");
  if (sample.weight != 0) loss_.field(event.kind, "weight");
  if (sample.stack.places != event::kAbsent) loss_.field(event.kind, "places");
  if (batch_->thread(event) == base::kNoId) loss_.field(event.kind, "thread");  // becomes 0
  records_.pointer(event.id);
  const auto natives = batch_->list(sample.natives);
  records_.out().uleb(natives.size());
  for (auto ip = natives.rbegin(); ip != natives.rend(); ++ip) records_.list_item_pointer(*ip);
  const auto frames = batch_->list(sample.stack);
  records_.out().uleb(frames.size());
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
    records_.list_item_method(*frame);
  tell_inexact(event);
}

void MlpdWriter::before(const Event& event, event::Class& details) {
  if (details.life == Life::name) {  // a load is all that can name a class
    details.life = Life::begin;
    loss_.field(event.kind, "life");
  }
  class_names_[event.id] = details.name;
  const auto [begin, end] = unnamed_vtables_.equal_range(event.id);
  for (auto it = begin; it != end; ++it) name_vtable(event, it->second, event.id);
  unnamed_vtables_.erase(begin, end);
}

void MlpdWriter::before(const Event& event, event::Vtable& details) {
  vtables_[event.id] = details.class_id;
  if (version_ >= 15) return;
  if (class_names_.contains(details.class_id)) name_vtable(event, event.id, details.class_id);
  else unnamed_vtables_.emplace(details.class_id, event.id);
}

void MlpdWriter::before(const Event& event, event::Alloc&) {
  if (version_ >= 15) alias_class(event, event.id);
}

void MlpdWriter::before(const Event& event, event::DumpObject& details) {
  if (version_ >= 15) alias_class(event, details.class_id);
}

// Version 15 and later: a class that is used as if it were a vtable becomes its own vtable. 0 says
// that an object has no class.
void MlpdWriter::alias_class(const Event& event, base::Id class_id) {
  if (class_id == 0 || vtables_.contains(class_id) || !class_names_.contains(class_id)) return;
  vtables_[class_id] = class_id;
  event::Vtable alias;
  alias.domain = 0;
  alias.class_id = class_id;
  Event definition = event;
  definition.id = class_id;
  definition.kind = Kind::Vtable;
  put_event(definition, alias);
}

// Before version 15: a class definition under the vtable's id.
void MlpdWriter::name_vtable(const Event& event, base::Id vtable, base::Id class_id) {
  if (vtable == class_id || !start(kMetadataLoad, event)) return;
  records_.out().byte(static_cast<std::uint8_t>(Metadata::class_type));
  event::Class details;
  details.module = 0;
  details.name = class_names_[class_id];
  base::Id id = vtable;
  layout(records_, id, details);
}

void MlpdWriter::put_collection(const Event& event, const event::Gc& gc) { put_event(event, gc); }

std::size_t MlpdWriter::put(std::size_t at) {
  const Event& event = batch_->events[at];
  return event::with_kind(event.kind, [&](auto none) -> std::size_t {
    using T = decltype(none);
    if constexpr (kIsList<T>) {
      const std::size_t count = run_length(at);
      put_list<T>(kListRecord<T>, at, count);
      return count;
    } else if constexpr (kIsHeader<T>) {
      tell(event, details<T>(event));
    } else if constexpr (std::is_same_v<T, event::Gc>) {
      if (const auto& gc = details<T>(event); !hold(event, gc)) put_event(event, gc);
    } else if constexpr (kIsCall<T>) {
      put_call(event);
    } else if constexpr (std::is_same_v<T, event::Sample>) {
      put_sample(event, details<T>(event));
    } else {
      put_event(event, details<T>(event));
    }
    return 1;
  });
}

}  // namespace polytrace::format::mlpd
