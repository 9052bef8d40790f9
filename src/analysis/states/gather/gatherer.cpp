// SPDX-License-Identifier: Apache-2.0
#include "analysis/states/gather/gatherer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "analysis/runtime/counters.hpp"
#include "analysis/table/words.hpp"
#include "base/slot.hpp"

namespace polytrace::analysis {

using base::kNoId;
using base::Time;
using event::Kind;

namespace {

// Nothing can come before the first nor behind the last tick of a history.
constexpr Time kFirst = INT64_MIN + 1;
constexpr Time kLast = INT64_MAX - 1;

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
// told so far. What heads a trace has no time of its own.
void Gatherer::walk(const Run& run) {
  static constexpr Handlers kHandlers;
  thread_ = run.thread;
  now_ = base::slot(latest_, thread_, kFirst);
  const event::Spine& events = slice_->batch.events;
  bool is_known = thread_ < known_.size() && known_[thread_];
  for (std::uint32_t i = run.begin; i != run.end; ++i) {
    const Event& event = events[i];
    const bool heads = event::role_of(event.kind) == event::Role::heading;
    if (!heads && !std::exchange(is_known, true)) see_thread(event);
    if (!heads) now_ = std::max(now_, std::min(event.time, kLast));
    if (event::is_call(event.kind)) {
      call(event);
    } else if (const Handler handler = kHandlers.by_kind[static_cast<std::size_t>(event.kind)];
               handler != nullptr) {
      (this->*handler)(event);
    }
  }
  latest_[thread_] = now_;
  if (names().threads()[thread_].id != kNoId) to_.last = std::max(to_.last, now_);
}

// What goes on in a recorder's stream after its thread's end makes no thread: only what matters to
// a state does.
void Gatherer::see_thread(const Event& first) {
  known_.resize(std::max(known_.size(), thread_ + std::size_t{1}));
  known_[thread_] = true;
  const ThreadInfo& thread = names().threads()[thread_];
  if (thread.id == kNoId || (thread.previous != kNothing && !thread.begun)) return;
  now_ = std::max(now_, std::min(first.time, kLast));
  add(What::seen);
}

void Gatherer::add_at(Time time, What what, Happening rest) {
  rest.what = what;
  rest.time = time;
  if (rest.thread == kNothing) rest.thread = thread_;
  const bool is_first = to_.sorter.size() == 0;
  to_.first = is_first ? time : std::min(to_.first, time);
  to_.last = is_first ? time : std::max(to_.last, time);
  to_.sorter.add(rest);
}

// A thread that was on a processor nearly all the time between two figures ran then. Of less nobody
// knows when.
void Gatherer::used_cpu(std::uint64_t used) {
  constexpr std::uint64_t kShare = 16;
  Time& told = base::slot(cpu_at_, thread_, base::kNoTime);
  if (told != base::kNoTime && told < now_) {
    const std::uint64_t elapsed =
        static_cast<std::uint64_t>(now_) - static_cast<std::uint64_t>(told);
    if (used >= elapsed - elapsed / kShare) {
      add_at(told, What::runs, {.detail = 1});
      add(What::runs);
    }
  }
  told = now_;
}

std::uint32_t Gatherer::thread_index(base::Id id) {
  if (id == kNoId) return thread_;
  const std::uint32_t known = names().thread_index(id);
  return known != kNothing ? known : to_.mentioned.index(id) | Gathered::kMentioned;
}

void Gatherer::call(const Event& event) {
  const What what = event.kind == Kind::Enter ? What::enter : What::leave;
  const bool any = event.id == kNoId && what == What::leave;
  add(what, {.a = event::ticket_of(slice_->batch, event),
             .index = any ? kNothing : names().methods().index(event.id)});
  if (event.detail == event::kAbsent) return;
  const base::Duration cpu = event.kind == Kind::Enter   ? details<event::Enter>(event).cpu
                             : event.kind == Kind::Leave ? details<event::Leave>(event).cpu
                                                         : details<event::Unwind>(event).cpu;
  if (cpu == 0) return;
  const auto total = static_cast<std::uint64_t>(cpu);
  std::uint64_t& before = base::slot(cpu_, thread_, std::uint64_t{0});
  used_cpu(total > before ? total - before : 0);
  before = total;
  add(What::call_cpu, {.a = total});
}

void Gatherer::thread(const Event& event) {
  const auto thread = details<event::Thread>(event);
  const std::uint32_t index = thread_index(event.id);
  if (thread.life == event::Life::begin) add(What::thread_begin, {.thread = index});
  if (!thread.name.empty()) {
    const std::uint32_t name = to_.texts.index(thread.name);
    if ((index & Gathered::kMentioned) == 0) {
      std::uint32_t& first = base::slot(to_.first_names, index, kNothing);
      if (first == kNothing) first = name;
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
  const std::uint32_t owner = monitor.owner == kNoId ? kNothing : thread_index(monitor.owner);
  add(kWhat[static_cast<std::size_t>(monitor.stage)],
      {.a = event.id, .b = owner, .index = class_index(monitor.class_id)});
}

void Gatherer::thrown(const Event&) { add(What::thrown); }

void Gatherer::jit(const Event& event) {
  to_.seen.jit = true;
  add(What::jit, {.detail = static_cast<std::uint8_t>(details<event::Jit>(event).stage)});
}

void Gatherer::method(const Event& event) {
  const auto method = details<event::Method>(event);
  if (method.code != kNoId && method.code != 0) add(What::code);
}

// What stands outside of all threads defines a class that is named; nobody recorded its load.
void Gatherer::type(const Event& event) {
  const event::Life life = details<event::Class>(event).life;
  if (life == event::Life::name || names().threads()[thread_].id == kNoId) return;
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
  CounterInfo* info = &base::slot(to_.counters, counter_ids_.index(event.id), {});
  if (info->defined && (info->section != section || info->name != name))
    info = &base::slot(to_.counters, counter_ids_.renew(event.id), {});
  *info = {event.id, true, section, name, info->types};
}

void Gatherer::counter(const Event& event) {
  const auto value = details<event::CounterValue>(event);
  const std::uint32_t index = counter_ids_.index(event.id);
  CounterInfo& info = base::slot(to_.counters, index, {});
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
  const bool of_thread = cpu.scope == event::CpuScope::thread;
  const auto used = static_cast<std::uint64_t>(cpu.used);
  if (of_thread) used_cpu(used);
  add(of_thread ? What::thread_cpu : What::process_cpu, {.a = used});
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

}  // namespace polytrace::analysis
