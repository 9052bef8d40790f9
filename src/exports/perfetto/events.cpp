// SPDX-License-Identifier: Apache-2.0
// What stands at one moment: samples, allocations, exceptions, counters, remarks.
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

void PerfettoMaker::sample(const Slice& slice, const Event& event) {
  const auto details = slice.batch.details_or<event::Sample>(event, {});
  if (details.mode == event::SampleMode::change) return account_.leave_out(Kind::Sample);
  if (!cap_.admit()) return;
  const std::uint32_t thread = slice.names.thread_index(event.id);
  std::int32_t number = 0;
  if (thread != Names::kNone) number = tid(track(thread).thread);
  else number = stranger_tid(strangers_.index(event.id));
  const std::uint32_t stack = facts_.callstack(slice, details.stack, true);
  for (std::uint64_t left = copies_.take(details.weight); left != 0; --left)
    facts_.add_sample(event.time, number, stack);
}

void PerfettoMaker::allocation(const Slice& slice, const Event& event) {
  heaps_.take(slice, event);
  if (!cap_.admit()) return;
  const Allocation allocated = allocation_of(slice.batch, event);
  const std::uint32_t stack = facts_.callstack(slice, allocated.stack, false);
  const std::uint32_t name = facts_.class_name(slice.names.class_index(event.id), slice.names);
  const std::uint64_t uuid = thread_uuid(slice, event);
  facts_.add_event(EventType::instant, uuid, event.time, [&](pbf_writer& writer) {
    writer.add_uint64(field::name_iid, name);
    writer.add_string(field::categories, "alloc");
    if (stack != 0) writer.add_uint64(field::callstack_iid, stack);
    Facts::annotate(writer, "bytes", allocated.bytes);
    if (allocated.count != 1) Facts::annotate(writer, "objects", allocated.count);
  });
}

void PerfettoMaker::throwing(const Slice& slice, const Event& event) {
  if (!cap_.admit()) return;
  const auto details = slice.batch.details_or<event::Throw>(event, {});
  const std::uint32_t stack = facts_.callstack(slice, details.stack, false);
  const std::uint64_t uuid = thread_uuid(slice, event);
  const std::string name =
      "throws " + slice.names.class_name(classes_.find(event.id, details.class_id, slice.names));
  facts_.add_event(EventType::instant, uuid, event.time, [&](pbf_writer& writer) {
    writer.add_string(field::name, base::repaired(name));
    writer.add_string(field::categories, "throw");
    if (stack != 0) writer.add_uint64(field::callstack_iid, stack);
    if (event.id != base::kNoId) Facts::annotate(writer, "object", fmt::format("{:#x}", event.id));
  });
}

void PerfettoMaker::clause(const Slice& slice, const Event& event) {
  if (!cap_.admit()) return;
  const auto details = slice.batch.details_or<event::Clause>(event, {});
  const std::uint64_t uuid = thread_uuid(slice, event);
  const std::string method = slice.names.method_name(slice.names.methods().index(event.id));
  facts_.add_event(EventType::instant, uuid, event.time, [&](pbf_writer& writer) {
    writer.add_string(field::name,
                      base::repaired(fmt::format("{} in {}", event::name(details.clause), method)));
    writer.add_string(field::categories, "clause");
  });
}

void PerfettoMaker::define(const Slice& slice, const Event& event) {
  if (event.kind != Kind::CounterDef) return;
  const auto details = slice.batch.details_or<event::CounterDef>(event, {});
  Counter& counter = counters_[event.id];
  counter.scale = CounterScale(details);
  counter.track = facts_.counter_track(counter_name(details), details.unit,
                                       counter.scale.is_time() ? "ms" : "");
}

void PerfettoMaker::counter(const Slice& slice, const Event& event) {
  const auto details = slice.batch.details_or<event::CounterValue>(event, {});
  if (details.type == event::CounterType::string) return account_.leave_out(Kind::CounterValue);
  if (!cap_.admit()) return;
  Counter& counter = counters_[event.id];
  if (counter.track == 0)
    counter.track =
        facts_.counter_track(fmt::format("counter {:#x}", event.id), event::CounterUnit::raw, "");
  facts_.add_event(EventType::counter, counter.track, event.time, [&](pbf_writer& writer) {
    if (counter.scale.is_exact(details)) writer.add_int64(field::counter_value, details.number);
    else writer.add_double(field::double_counter_value, counter.scale.value(details));
  });
}

void PerfettoMaker::heap_size(const Slice& slice, const Event& event) {
  const auto details = slice.batch.details_or<event::HeapSize>(event, {});
  const std::tuple<std::string_view, std::uint64_t, event::CounterUnit> figures[]{
      {"Heap", details.total, event::CounterUnit::bytes},
      {"Heap in use", details.used, event::CounterUnit::bytes},
      {"Objects in the heap", details.objects, event::CounterUnit::count}};
  if (!details.generation.empty() || !cap_.admit())
    return details.generation.empty() ? void() : account_.leave_out(Kind::HeapSize);
  for (const auto& [name, value, unit] : figures) {
    if (value == 0) continue;
    std::uint64_t& uuid = heap_tracks_[name];
    if (uuid == 0) uuid = facts_.counter_track(name, unit, "");
    facts_.add_event(EventType::counter, uuid, event.time, [&, much = value](pbf_writer& writer) {
      writer.add_int64(field::counter_value, static_cast<std::int64_t>(much));
    });
  }
}

bool PerfettoMaker::of_snapshot(const Slice& slice, const Event& event) {
  heaps_.take(slice, event);
  const bool begins =
      event.kind == Kind::Dump &&
      slice.batch.details_or<event::Dump>(event, {}).stage == event::DumpStage::start;
  if (!begins && !heaps_.is_open()) return false;
  if (event.kind != Kind::Dump && event.kind != Kind::DumpObject && event.kind != Kind::Root)
    return false;
  if (!cap_.admit()) return true;
  if (begins) heaps_.open(event.time, slice.names);
  else if (event.kind == Kind::Dump) heaps_.close(slice.names);
  else if (event.kind == Kind::DumpObject) heaps_.add_object(slice, event);
  else heaps_.add_root(slice, event);
  return true;
}

void PerfettoMaker::remark(Time time, std::string_view text) {
  if (!cap_.admit()) return;
  if (heap_tracks_.try_emplace("remarks", kRemarks).second)
    facts_.describe_track(kRemarks, kProcess, "Remarks");
  facts_.add_event(EventType::instant, kRemarks, time, [&](pbf_writer& writer) {
    writer.add_string(field::name, base::repaired(text));
  });
}

}  // namespace polytrace::exports
