// SPDX-License-Identifier: Apache-2.0
// The order of things: what waits for what. make_definitions.cpp and make_records.cpp
// have the messages themselves.
#include "format/tptp/events/message_maker.hpp"

#include <algorithm>

#include "event/copy.hpp"
#include "event/visit.hpp"

namespace polytrace::format::tptp {

using event::Kind;

namespace {

// What recorders tell about themselves before they tell anything else.
bool is_prelude(Kind kind) {
  return kind == Kind::Process || kind == Kind::Setting || kind == Kind::FilterRule ||
         kind == Kind::Recording || kind == Kind::Note;
}

// What comes first: everything else hangs under it.
enum class Rank : std::uint8_t { process, trace, others };
Rank rank_of(const event::Batch& batch, const event::Event& event) {
  if (event.kind == Kind::Process) return Rank::process;
  if (event.kind != Kind::Recording) return Rank::others;
  const auto stage = batch.details_or<event::Recording>(event, {}).stage;
  return stage == event::RecordingStage::start ? Rank::trace : Rank::others;
}

}  // namespace

bool MessageMaker::holds(Kind kind) {
  return event::with_kind(kind, [](auto details) { return kHeld<decltype(details)>; });
}

base::result<void> MessageMaker::take(const event::Batch& batch) {
  for (const Event& event : batch.events) {
    batch_ = &batch;
    if (in_prelude_ && wait_in_prelude(event)) continue;
    batch_ = &batch;
    put(event);
  }
  return state_;
}

base::result<void> MessageMaker::finish() {
  release_prelude();
  if (gc_waits_) write();
  gc_waits_ = false;
  write_frames(names_.release());
  if (release_ends()) end_agent();
  draft_.times().finish();
  return state_;
}

bool MessageMaker::wait_in_prelude(const Event& event) {
  if (is_prelude(event.kind) && prelude_.events.size() < kMostHeld)
    return event::copy_event(*batch_, event, prelude_) > 0;
  if (event.kind == Kind::Clock || !tells(event)) return put(event), true;
  release_prelude();
  return false;
}

bool MessageMaker::begins_anew(const Event& event) {
  if (batch_ == &prelude_ || ends_.events.empty()) return false;
  in_prelude_ = true;
  return event::copy_event(*batch_, event, prelude_) > 0;
}

void MessageMaker::release_prelude() {
  in_prelude_ = false;
  batch_ = &prelude_;
  const bool anew = std::ranges::any_of(prelude_.events, [this](const Event& event) {
    return rank_of(prelude_, event) == Rank::trace;
  });
  const bool ended = anew && release_ends();
  for (const Rank rank : {Rank::process, Rank::trace, Rank::others}) {
    if (rank == Rank::trace && ended && links_.agent != links_.owner) end_agent();
    if (rank == Rank::others && draft_.times().start()) link_trace();
    for (const Event& event : prelude_.events) {
      if (rank_of(prelude_, event) == rank) put(event);
    }
  }
  prelude_.clear();
}

void MessageMaker::release_before(const Event& next) {
  if (!gc_waits_ && !names_.holds_any()) return;
  if (gc_waits_ && next.kind != Kind::HeapSize) {
    write();
    gc_waits_ = false;
  }
  const bool ends_frames =
      next.kind != Kind::Method && next.kind != Kind::Wait && next.kind != Kind::Monitor;
  if (ends_frames && names_.holds_any()) write_frames(names_.release());
}

bool MessageMaker::tells(const Event& event) const {
  bool does = false;
  event::with_details(*batch_, event, [&](const auto& details) {
    if constexpr (kHeld<std::decay_t<decltype(details)>>) does = tells(details);
  });
  return does;
}

bool MessageMaker::tells(const event::Recording& recording) const {
  using event::RecordingStage;
  return recording.stage != RecordingStage::pause && recording.stage != RecordingStage::resume;
}

bool MessageMaker::tells(const event::Gc& gc) const {
  return gc.phase == event::GcPhase::start || gc.phase == event::GcPhase::end;
}

bool MessageMaker::tells(const event::Monitor& monitor) const {
  return monitor.stage != event::MonitorStage::failed;
}

void MessageMaker::put(const Event& event) {
  release_before(event);
  if (event.detail == event::kAbsent && event::is_call(event.kind)) return make_plain_call(event);
  event::with_details(*batch_, event, [&](const auto& details) {
    using Details = std::decay_t<decltype(details)>;
    if constexpr (kHeld<Details>) {
      if (tells(details)) return make(event, details);
    }
    // Allocations may name these instead of their classes.
    if constexpr (std::is_same_v<Details, event::Vtable>) vtables_[event.id] = details.class_id;
    lose(event);
  });
}

void MessageMaker::write_frames(const std::vector<NamedFrame>& frames) {
  if (frames.empty()) return;
  event::Batch methods;
  const std::uint16_t none = methods.thread_slot(base::kNoId);
  const event::Batch* const before = std::exchange(batch_, &methods);
  for (const NamedFrame& frame : frames) {
    event::Method method;
    method.name = frame.name;
    make_method({frame.time, frame.id, event::kAbsent, none, Kind::Method, 0}, method);
  }
  batch_ = before;
}

}  // namespace polytrace::format::tptp
