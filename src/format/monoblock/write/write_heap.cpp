// SPDX-License-Identifier: Apache-2.0
// HEAP_DATA and HEAP_SUMMARY blocks.
#include "format/monoblock/write/block_output.hpp"
#include "format/monoblock/write/writer.hpp"

namespace polytrace::format::monoblock {
namespace {

using base::Id;
using event::Event;

constexpr std::size_t kDumpFull = std::size_t{32} << 20;

}  // namespace

void BlockFileWriter::put_details(const Event& event, const event::Dump& dump) {
  lose_thread(event);
  if (dump.stage == event::DumpStage::start) {
    if (dump_) put_dump(last_time_);
    close_block();
    dump_.emplace();
    dump_->collection = told(event.id);
    dump_->start = take_clock(event, base::kNoId);
    return;
  }
  if (!dump_) return lose(event);
  if (dump_->collection != told(event.id)) lose_subject(event);
  put_dump(event.time);
}

// The end of the job, then the moment of writing, stand before the items.
bool BlockFileWriter::take_dump_clock(const Event& event, const event::Clock& clock) {
  if (!dump_ || dump_->items.size() > 0 || dump_->written) return false;
  lose_ticks(clock.ticks_per_second);
  (dump_->end ? dump_->written : dump_->end) = point_of(event, clock);
  return true;
}

bool BlockFileWriter::in_dump(const Event& event) {
  if (!dump_) return false;
  lose_thread(event);
  if (!dump_->written) dump_->written = out_.point_at(counter_of(event));
  if (dump_->written->counter != counter_of(event)) lose_field(event, "time");
  if (dump_->items.size() > kDumpFull) split_dump();
  return true;
}

// A block of any size could not be read.
void BlockFileWriter::split_dump() {
  HeapDump next;
  next.collection = dump_->collection;
  next.start = dump_->start;
  next.end = dump_->end;
  next.written = dump_->written;
  put_dump(static_cast<event::Time>(next.end.value_or(*next.written).counter));
  dump_ = std::move(next);
}

void BlockFileWriter::put_details(const Event& event, const event::DumpObject& object) {
  constexpr std::uint64_t kFlags = 3;
  if ((event.id & kFlags) != 0 || !in_dump(event)) return lose(event);
  base::Appender& items = dump_->items;
  append_number(items, event.id | 1U);
  append_number(items, told(object.class_id));
  append_number(items, object.size);
  const auto refs = batch_->list(object.refs);
  append_number(items, refs.size());
  for (const event::Ref& ref : refs) {
    if (ref.offset != 0 || ref.target == base::kNoId) lose_field(event, "refs");
    append_number(items, told(ref.target));
  }
}

void BlockFileWriter::put_details(const Event& event, const event::Free& free) {
  constexpr unsigned kFlagBits = 2;
  const std::uint64_t class_id = told(free.class_id);
  if (class_id >> (64 - kFlagBits) != 0 || !in_dump(event)) return lose(event);
  lose_subject(event);
  append_number(dump_->items, class_id << kFlagBits | 2U);
  append_number(dump_->items, free.size);
}

void BlockFileWriter::put_dump(event::Time end) {
  const HeapDump dump = std::move(*dump_);
  dump_.reset();
  const auto counter = static_cast<std::uint64_t>(end);
  const ClockPoint end_point = dump.end.value_or(out_.point_at(counter));
  if (end_point.counter != counter) loss_.field(event::Kind::Dump, "time");
  close_block();
  put_pending_clock();
  out_.open(BlockCode::heap_data, dump.start.counter);
  out_.clock(dump.start);
  out_.clock(end_point);
  out_.number(dump.collection);
  out_.clock(dump.written.value_or(end_point));
  out_.content().bytes(dump.items.view());
  out_.close();
}

// --- the summary ---

void BlockFileWriter::open_summary(const Event& event, Id collection) {
  if (out_.in(BlockCode::heap_summary) && time_ == counter_of(event) && collection_ == collection)
    return;
  close_block();
  const ClockPoint point = take_clock(event, base::kNoId);
  out_.open(BlockCode::heap_summary, point.counter);
  out_.clock(point);
  out_.number(collection);
  time_ = point.counter;
  collection_ = collection;
}

// The two halves of a row are two events; an empty one stands for a summary without rows.
void BlockFileWriter::put_details(const Event& event, const event::Census& census) {
  const Id collection = told(census.collection);
  const bool zero = census.objects == 0 && census.bytes == 0;
  lose_thread(event);
  if (census.reach == event::Reach::unknown && event.id == base::kNoId && zero) {
    close_block();
    open_summary(event, collection);
    return close_block();
  }
  const bool dead = census.reach == event::Reach::unreachable && !zero;
  if (!dead && census.reach != event::Reach::reachable) lose_field(event, "reach");
  open_summary(event, collection);
  const bool completes =
      dead && row_ && row_->class_id == told(event.id) && (row_->objects != 0 || row_->bytes != 0);
  if (!completes) put_row(0, 0);
  if (!dead) row_ = {told(event.id), census.objects, census.bytes};
  else if (!completes) row_ = {told(event.id), 0, 0};
  if (dead) put_row(census.objects, census.bytes);
}

void BlockFileWriter::put_row(std::uint64_t unreachable_objects, std::uint64_t unreachable_bytes) {
  if (!row_) return;
  out_.number(row_->class_id);
  out_.number(row_->objects);
  out_.number(row_->bytes);
  out_.number(unreachable_objects);
  out_.number(unreachable_bytes);
  row_.reset();
}

}  // namespace polytrace::format::monoblock
