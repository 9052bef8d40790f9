// SPDX-License-Identifier: Apache-2.0
// What lasts a while and is no call, in tracks below the threads and the process.
#include <fmt/format.h>

#include "base/text/utf8.hpp"
#include "exports/perfetto/perfetto.hpp"

namespace polytrace::exports {

using namespace perfetto;
using base::Time;
using event::Event;
using event::Kind;
using protozero::pbf_writer;
using slice::Names;
using slice::Slice;

std::uint64_t PerfettoMaker::lane_track(Lane lane, std::uint32_t thread, const Span& span) {
  const auto [entry, fresh] = lane_tracks_.try_emplace(span_track(lane, thread, span), 0);
  if (!fresh) return entry->second;
  const std::uint64_t uuid = entry->second = facts_.new_track();
  const std::string title = span_track_title(lane, span, *names_);
  if (is_of_process(lane)) {
    facts_.describe_track(kCollector, kProcess, "Garbage collector");
    facts_.describe_track(uuid, kCollector, title);
  } else {
    facts_.describe_track(uuid, track(thread).uuid, title);
  }
  return uuid;
}

void PerfettoMaker::open_span(Lane lane, std::uint32_t thread, const Span& span, const Slice& slice,
                              const Event& event) {
  std::uint32_t stack = 0;
  if (event.kind == Kind::Monitor)
    stack = facts_.callstack(slice, slice.batch.details_or<event::Monitor>(event, {}).stack, false);
  if (event.kind == Kind::Wait)
    stack = facts_.callstack(slice, slice.batch.details_or<event::Wait>(event, {}).stack, false);
  const std::uint64_t uuid = lane_track(lane, thread, span);
  cap_.add();
  facts_.add_event(EventType::begin, uuid, span.start, [&](pbf_writer& writer) {
    writer.add_string(field::name, base::repaired(span_name(lane, span, slice.names)));
    const std::string_view category = describe(lane).category;
    writer.add_string(field::categories, category.data(), category.size());
    if (stack != 0) writer.add_uint64(field::callstack_iid, stack);
    if (span.owner != base::kNoId)
      Facts::annotate(writer, "owner", fmt::format("{:#x}", span.owner));
    if (is_of_process(lane)) Facts::annotate(writer, "thread", slice.names.thread_name(thread));
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

}  // namespace polytrace::exports
