// SPDX-License-Identifier: Apache-2.0
// What lasts a while and is no call, and the heap before and after collections.
#include "exports/jfr/collections.hpp"
#include "exports/jfr/jfr.hpp"

namespace polytrace::exports {

using namespace jfr;
using base::Time;
using event::Event;
using slice::Names;
using slice::Slice;

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

}  // namespace polytrace::exports
