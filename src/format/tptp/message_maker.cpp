// SPDX-License-Identifier: Apache-2.0
// The order of things: what waits for what. make_definitions.cpp and make_records.cpp
// have the messages themselves.
#include "format/tptp/message_maker.hpp"

#include "event/copy.hpp"
#include "event/visit.hpp"

namespace polytrace::format::tptp {

using event::Kind;

namespace {

constexpr std::size_t kMostHeld = 1000;

// What recorders tell about themselves before they tell the clock.
bool is_prelude(Kind kind) {
  return kind == Kind::Process || kind == Kind::Setting || kind == Kind::FilterRule ||
         kind == Kind::Recording || kind == Kind::Note;
}

bool is_call(Kind kind) {
  return kind == Kind::Enter || kind == Kind::Leave || kind == Kind::Unwind;
}

}  // namespace

bool MessageMaker::holds(Kind kind) {
  return event::with_kind(kind, [](auto details) { return kHeld<decltype(details)>; });
}

base::result<void> MessageMaker::take(const event::Batch& batch) {
  for (const Event& event : batch.events) {
    batch_ = &batch;
    if (in_prelude_ && wait_for_clock(event)) continue;
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
  draft_.times().finish();
  return state_;
}

bool MessageMaker::wait_for_clock(const Event& event) {
  if (is_prelude(event.kind) && prelude_.events.size() < kMostHeld)
    return event::copy_event(*batch_, event, prelude_) > 0;
  const bool clock = event.kind == Kind::Clock;
  if (clock) put(event);
  release_prelude();
  return clock;
}

void MessageMaker::release_prelude() {
  in_prelude_ = false;
  batch_ = &prelude_;
  for (const Event& event : prelude_.events) put(event);
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

void MessageMaker::put(const Event& event) {
  release_before(event);
  if (event.detail == event::kAbsent && is_call(event.kind)) return make_plain_call(event);
  event::with_details(*batch_, event, [&](const auto& details) {
    using Details = std::decay_t<decltype(details)>;
    if constexpr (kHeld<Details>) return make(event, details);
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
