// SPDX-License-Identifier: Apache-2.0
// Tells a maker of time lines what an event is that is no call, if the selection has it.
#pragma once

#include <fmt/format.h>

#include "exports/timelines/names.hpp"
#include "exports/timelines/spans.hpp"

namespace polytrace::exports {

// What there is to say of an event that is only text, empty of all other kinds.
inline std::string remark_of(const event::Batch& batch, const event::Event& event) {
  using event::Kind;
  if (event.kind == Kind::Note) return std::string(batch.details_or<event::Note>(event, {}).text);
  if (event.kind == Kind::Recording)
    return fmt::format("recording: {}",
                       event::name(batch.details_or<event::Recording>(event, {}).stage));
  if (event.kind != Kind::Lost) return {};
  const auto lost = batch.details_or<event::Lost>(event, {});
  return fmt::format("lost: {} records, {} bytes: {}", lost.records, lost.bytes, lost.reason);
}

// Maker has
//   void define_counter(const Event&, const event::CounterDef&)
//   void sample, allocation, throwing, clause, counter, heap_size, remark(const Slice&,
//                                                                         const Event&)
//   void other(const Slice&, const Event&): has no place of its own
template <class Maker>
void take_fact(const slice::Slice& slice, const event::Event& event, const slice::Selection& wanted,
               SpanWalk<Maker>& spans, Maker& maker) {
  using event::Kind;
  if (spans.take(slice, event)) return;
  if (event.kind == Kind::CounterDef)
    return maker.define_counter(event, slice.batch.details_or<event::CounterDef>(event, {}));
  if (event.kind == Kind::Sample) {
    if (wanted.has(event.time) && wanted.threads.has(event.id)) maker.sample(slice, event);
    return;
  }
  if (is_taken_as_name(event.kind) || !selects(wanted, slice.batch, event)) return;
  switch (event.kind) {
    case Kind::Alloc:
    case Kind::AllocSummary: return maker.allocation(slice, event);
    case Kind::Throw: return maker.throwing(slice, event);
    case Kind::Clause: return maker.clause(slice, event);
    case Kind::CounterValue: return maker.counter(slice, event);
    case Kind::HeapSize: return maker.heap_size(slice, event);
    case Kind::Note:
    case Kind::Recording:
    case Kind::Lost: return maker.remark(slice, event);
    default: maker.other(slice, event);
  }
}

}  // namespace polytrace::exports
