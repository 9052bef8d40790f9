// SPDX-License-Identifier: Apache-2.0
#include "analysis/states/gatherer.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "analysis/counter_names.hpp"

namespace polytrace::analysis::states {

using base::kNoId;
using base::Time;
using event::Kind;

namespace {

// Nothing can come before the first nor behind the last tick of a history.
constexpr Time kFirst = INT64_MIN + 1;
constexpr Time kLast = INT64_MAX - 1;

template <class T>
T& slot(std::vector<T>& items, std::size_t index, const T& fresh) {
  if (index >= items.size()) items.resize(index + 1, fresh);
  return items[index];
}

bool is_call(Kind kind) {
  return kind == Kind::Enter || kind == Kind::Leave || kind == Kind::Unwind;
}

}  // namespace

struct Gatherer::Handlers {
  std::array<Handler, event::kKindCount> by_kind{};

  constexpr Handlers() {
    set(Kind::Thread, &Gatherer::thread);
    set(Kind::Sample, &Gatherer::sample);
    set(Kind::Wait, &Gatherer::wait);
    set(Kind::Monitor, &Gatherer::monitor);
    set(Kind::Throw, &Gatherer::thrown);
    set(Kind::Alloc, &Gatherer::alloc);
    set(Kind::AllocSummary, &Gatherer::alloc_summary);
    set(Kind::Free, &Gatherer::free);
    set(Kind::Move, &Gatherer::move);
    set(Kind::Census, &Gatherer::census);
    set(Kind::Dump, &Gatherer::dump);
    set(Kind::DumpObject, &Gatherer::dump_object);
    set(Kind::Gc, &Gatherer::gc);
    set(Kind::SyncPoint, &Gatherer::sync);
    set(Kind::HeapSize, &Gatherer::heap_size);
    set(Kind::Jit, &Gatherer::jit);
    set(Kind::Method, &Gatherer::method);
    set(Kind::Class, &Gatherer::type);
    set(Kind::ClassLoad, &Gatherer::class_load);
    set(Kind::CounterDef, &Gatherer::counter_def);
    set(Kind::CounterValue, &Gatherer::counter);
    set(Kind::Cpu, &Gatherer::cpu);
    set(Kind::Lost, &Gatherer::lost);
    set(Kind::Recording, &Gatherer::recording);
    set(Kind::Clock, &Gatherer::clock);
  }
  constexpr void set(Kind kind, Handler handler) {
    by_kind[static_cast<std::size_t>(kind)] = handler;
  }
};

void Gatherer::consume(const event::Batch& batch) {
  to_.slicer.slice(batch, [this](const Slice& slice) { consume(slice); });
}

void Gatherer::consume(const Slice& slice) {
  slice_ = &slice;
  for (const Run& run : slice.runs) walk(run);
  slice_ = nullptr;
}

// A thread's own order wins over its clock: what it tells late happened at the latest time it has
// told so far.
void Gatherer::walk(const Run& run) {
  static constexpr Handlers kHandlers;
  thread_ = run.thread;
  now_ = slot(latest_, thread_, kFirst);
  const event::Spine& events = slice_->batch.events;
  if (thread_ >= known_.size() || !known_[thread_]) see_thread(events[run.begin]);
  for (std::uint32_t i = run.begin; i != run.end; ++i) {
    const Event& event = events[i];
    now_ = std::max(now_, std::min(event.time, kLast));
    if (is_call(event.kind)) {
      call(event);
    } else if (const Handler handler = kHandlers.by_kind[static_cast<std::size_t>(event.kind)];
               handler != nullptr) {
      (this->*handler)(event);
    }
  }
  latest_[thread_] = now_;
  if (names().threads()[thread_].id != kNoId) to_.last = std::max(to_.last, now_);
}

void Gatherer::see_thread(const Event& first) {
  known_.resize(std::max(known_.size(), thread_ + std::size_t{1}));
  known_[thread_] = true;
  if (names().threads()[thread_].id == kNoId) return;
  now_ = std::max(now_, std::min(first.time, kLast));
  add(What::seen);
}

void Gatherer::add(What what, Happening rest) {
  rest.what = what;
  rest.time = now_;
  if (rest.thread == kNone) rest.thread = thread_;
  const bool is_first = to_.sorter.size() == 0;
  to_.first = is_first ? now_ : std::min(to_.first, now_);
  to_.last = is_first ? now_ : std::max(to_.last, now_);
  to_.sorter.add(rest);
}

std::uint32_t Gatherer::thread_index(base::Id id) {
  if (id == kNoId) return thread_;
  const std::uint32_t known = names().thread_index(id);
  return known != kNone ? known : to_.mentioned.index(id) | Gathered::kMentioned;
}

void Gatherer::call(const Event& event) {
  const What what = event.kind == Kind::Enter ? What::enter : What::leave;
  add(what, {.index = names().methods().index(event.id)});
  if (event.detail == event::kAbsent) return;
  const base::Duration cpu = event.kind == Kind::Enter   ? details<event::Enter>(event).cpu
                             : event.kind == Kind::Leave ? details<event::Leave>(event).cpu
                                                         : details<event::Unwind>(event).cpu;
  if (cpu != 0) add(What::call_cpu, {.a = static_cast<std::uint64_t>(cpu)});
}

void Gatherer::thread(const Event& event) {
  const auto thread = details<event::Thread>(event);
  const std::uint32_t index = thread_index(event.id);
  if (thread.life == event::Life::begin) add(What::thread_begin, {.thread = index});
  if (!thread.name.empty()) {
    const std::uint32_t name = to_.texts.index(thread.name);
    if ((index & Gathered::kMentioned) == 0) {
      std::uint32_t& first = slot(to_.first_names, index, kNone);
      if (first == kNone) first = name;
    }
    add(What::thread_name, {.thread = index, .index = name});
  }
  if (thread.life == event::Life::end) add(What::thread_end, {.thread = index});
}

void Gatherer::sample(const Event& event) {
  const auto sample = details<event::Sample>(event);
  const auto frames = slice_->batch.list(sample.stack);
  add(What::sample,
      {.thread = thread_index(event.id), .index = to_.stacks.intern(frames, names())});
}

void Gatherer::wait(const Event& event) {
  to_.seen.locks = true;
  const bool starts = details<event::Wait>(event).stage == event::WaitStage::start;
  add(starts ? What::wait_start : What::wait_end, {.a = event.id});
}

void Gatherer::monitor(const Event& event) {
  constexpr std::array kWhat{What::contended, What::acquired, What::failed};
  to_.seen.locks = true;
  const auto monitor = details<event::Monitor>(event);
  const std::uint32_t owner = monitor.owner == kNoId ? kNone : thread_index(monitor.owner);
  add(kWhat[static_cast<std::size_t>(monitor.stage)],
      {.a = event.id, .b = owner, .index = class_index(monitor.class_id)});
}

void Gatherer::thrown(const Event&) { add(What::thrown); }

void Gatherer::alloc(const Event& event) {
  const auto alloc = details<event::Alloc>(event);
  add(What::alloc, {.a = alloc.object, .b = alloc.size, .index = class_index(event.id)});
}

void Gatherer::alloc_summary(const Event& event) {
  const auto summary = details<event::AllocSummary>(event);
  add(What::alloc_many, {.a = summary.count, .b = summary.bytes});
}

void Gatherer::free(const Event& event) {
  to_.seen.frees = true;
  add(What::free, {.a = event.id});
}

void Gatherer::move(const Event& event) {
  add(What::move, {.a = event.id, .b = details<event::Move>(event).to});
}

// The rows of one census have its collection or, without one, its time in common.
void Gatherer::census(const Event& event) {
  to_.seen.census = true;
  const auto census = details<event::Census>(event);
  if (census.collection != census_of_ || (census_of_ == kNoId && event.time != census_time_))
    ++censuses_;
  census_of_ = census.collection;
  census_time_ = event.time;
  const bool lives = census.reach != event::Reach::unreachable;
  add(What::census, {.a = lives ? census.objects : 0,
                     .b = lives ? census.bytes : 0,
                     .thread = censuses_,
                     .index = class_index(event.id)});
}

// What a dump without an end counted is not all there was.
void Gatherer::dump(const Event& event) {
  const bool starts = details<event::Dump>(event).stage == event::DumpStage::start;
  if (in_dump_ && !starts) end_dump();
  in_dump_ = starts;
  dumped_.clear();
}

void Gatherer::end_dump() {
  to_.seen.dumps = true;
  ++censuses_;
  for (const auto& [type, counted] : dumped_)
    add(What::dumped,
        {.a = counted.objects, .b = counted.bytes, .thread = censuses_, .index = type});
  if (dumped_.empty()) add(What::dumped, {.thread = censuses_});
}

void Gatherer::dump_object(const Event& event) {
  if (!in_dump_) return;
  const auto object = details<event::DumpObject>(event);
  Counted& counted = dumped_[class_index(object.class_id)];
  ++counted.objects;
  counted.bytes += object.size;
}

void Gatherer::gc(const Event& event) {
  using enum event::GcPhase;
  const auto gc = details<event::Gc>(event);
  const bool of_world = gc.phase == stop_world || gc.phase == world_stopped ||
                        gc.phase == start_world || gc.phase == world_started;
  to_.seen.world_phases |= of_world;
  add(What::gc, {.a = gc.generation,
                 .index = text_index(gc.reason),
                 .detail = static_cast<std::uint8_t>(gc.phase)});
}

void Gatherer::sync(const Event& event) {
  const event::SyncKind kind = details<event::SyncPoint>(event).sync;
  if (kind == event::SyncKind::periodic) return;
  to_.seen.world_syncs = true;
  const bool stops = kind == event::SyncKind::world_stop;
  add(What::world, {.detail = static_cast<std::uint8_t>(stops ? 1 : 0)});
}

void Gatherer::heap_size(const Event& event) {
  const auto size = details<event::HeapSize>(event);
  const std::uint32_t generation = text_index(size.generation);
  const std::array values{size.total, size.used, size.objects};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    add(What::heap, {.a = values[i], .index = generation, .detail = static_cast<std::uint8_t>(i)});
  }
}

void Gatherer::jit(const Event& event) {
  to_.seen.jit = true;
  add(What::jit, {.detail = static_cast<std::uint8_t>(details<event::Jit>(event).stage)});
}

void Gatherer::method(const Event& event) {
  const auto method = details<event::Method>(event);
  if (method.code != kNoId && method.code != 0) add(What::code);
}

void Gatherer::type(const Event& event) {
  const event::Life life = details<event::Class>(event).life;
  if (life == event::Life::name) return;
  add(life == event::Life::begin ? What::class_begin : What::class_end,
      {.index = class_index(event.id),
       .detail = static_cast<std::uint8_t>(ClassSource::definition)});
}

void Gatherer::class_load(const Event& event) {
  to_.seen.class_loads = true;
  const event::LoadStage stage = details<event::ClassLoad>(event).stage;
  if (stage != event::LoadStage::end && stage != event::LoadStage::unload_end) return;
  add(stage == event::LoadStage::end ? What::class_begin : What::class_end,
      {.index = class_index(event.id), .detail = static_cast<std::uint8_t>(ClassSource::load)});
}

void Gatherer::counter_def(const Event& event) {
  const auto def = details<event::CounterDef>(event);
  const std::string section = base::repaired(counter_section(def));
  const std::string name = base::repaired(def.name);
  CounterInfo* info = &slot(to_.counters, counter_ids_.index(event.id), {});
  if (info->defined && (info->section != section || info->name != name))
    info = &slot(to_.counters, counter_ids_.renew(event.id), {});
  *info = {event.id, true, section, name, info->types};
}

void Gatherer::counter(const Event& event) {
  const auto value = details<event::CounterValue>(event);
  const std::uint32_t index = counter_ids_.index(event.id);
  CounterInfo& info = slot(to_.counters, index, {});
  info.id = event.id;
  info.types |= 1U << static_cast<unsigned>(value.type);
  auto bits = static_cast<std::uint64_t>(value.number);
  if (value.type == event::CounterType::real) bits = std::bit_cast<std::uint64_t>(value.real);
  if (value.type == event::CounterType::string) bits = to_.texts.index(value.text);
  add(What::counter, {.a = bits, .index = index, .detail = static_cast<std::uint8_t>(value.type)});
}

void Gatherer::cpu(const Event& event) {
  const auto cpu = details<event::Cpu>(event);
  if (cpu.bogus != 0 || cpu.used < 0) return;
  add(cpu.scope == event::CpuScope::thread ? What::thread_cpu : What::process_cpu,
      {.a = static_cast<std::uint64_t>(cpu.used)});
}

void Gatherer::lost(const Event& event) {
  const auto lost = details<event::Lost>(event);
  add(What::lost, {.a = lost.records, .b = lost.bytes});
}

void Gatherer::recording(const Event& event) {
  const event::RecordingStage stage = details<event::Recording>(event).stage;
  if (!any_recording_) to_.resumed_first = stage == event::RecordingStage::resume;
  any_recording_ = true;
  add(What::recording, {.detail = static_cast<std::uint8_t>(stage)});
}

// Who asks takes the first one.
void Gatherer::clock(const Event& event) {
  const base::Time wall = details<event::Clock>(event).wall;
  if (wall == base::kNoTime || to_.clock_offset) return;
  std::int64_t offset = 0;
  if (!__builtin_sub_overflow(wall, event.time, &offset)) to_.clock_offset = offset;
}

}  // namespace polytrace::analysis::states
