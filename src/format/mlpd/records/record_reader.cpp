// SPDX-License-Identifier: Apache-2.0
#include "format/mlpd/records/record_reader.hpp"

#include "base/codes.hpp"
#include "format/mlpd/records/layout.hpp"
#include "format/mlpd/records/records.hpp"

namespace polytrace::format::mlpd {

using base::Code;
using base::Id;
using event::Kind;

namespace {

using CallCounts = std::array<std::uint32_t, 3>;  // as in event::CallSpan

CallCounts counts_of(const CallRun& run) {
  const auto count = [&run](std::uint8_t first) {
    return static_cast<std::uint32_t>(run.tally[first >> 4] >> 40);
  };
  return {count(kEnter), count(kLeave), count(kUnwind)};
}

CallCounts difference(const CallCounts& more, const CallCounts& less) {
  return {more[0] - less[0], more[1] - less[1], more[2] - less[2]};
}

}  // namespace

RecordReader::RecordReader(const FileState& file, const BufferHeader& buffer, base::Cursor& in,
                           event::Batch& batch)
    : file_(file),
      buffer_(buffer),
      in_(in),
      batch_(batch),
      time_(buffer.time_base),
      method_(buffer.method_base),
      thread_(batch.thread_slot(buffer.thread & file.id_mask)) {}

void RecordReader::read_all() {
  while (!in_.done()) {
    if (is_call(*in_.at())) read_calls();
    if (!in_.done()) read_record();
  }
}

void RecordReader::read_calls() {
  constexpr std::size_t kRoom = 4096;
  CallRun run{in_.at(), in_.end(), time_, method_, file_.id_mask, thread_, {}};
  for (bool full = true; full;) {
    const CallCounts before = counts_of(run);
    event::Event* out = batch_.events.room(kRoom);
    const event::Event* end = decode_calls(run, out, out + kRoom);
    // Each time is told in seven bytes at most: all of them cannot go round and come out later.
    if (end != out && out->time <= end[-1].time)
      batch_.events.grew_by_calls(end, difference(counts_of(run), before));
    else batch_.events.grew_to(end);
    full = out + kRoom - end < kCallsAtOnce;
  }
  in_.move_to(run.at);
  time_ = run.time;
  method_ = run.method;
  add_to_tally(run.tally);
}

void RecordReader::add_to_tally(const std::uint64_t (&calls)[4]) {
  for (unsigned kind = 1; kind < 4; ++kind) {
    auto& records = batch_.tally.records[first_byte(Type::method, kind << 4)];
    records.count += calls[kind] >> 40;
    records.bytes += calls[kind] & ((std::uint64_t{1} << 40) - 1);
  }
}

void RecordReader::read_record() {
  const std::uint64_t start = in_.offset();
  const std::size_t events = batch_.events.size();
  const std::byte* at = in_.at();
  const std::uint8_t first = in_.byte();
  const Record* record = find_record(first);
  if (record == nullptr || !record->legal_in(file_.version)) {
    in_.move_to(at);
    return in_.fault(Code::record_unknown);
  }
  if (file_.version >= record->timed_since) read_time();
  (this->*record->read)(first);
  if (!in_.ok()) return batch_.events.grew_to(batch_.events.begin() + events);
  auto& records = batch_.tally.records[first];
  ++records.count;
  records.bytes += in_.offset() - start;
}

void RecordReader::read_time() {
  const std::uint64_t delta = in_.uleb();
  batch_.tally.time_wraps += delta >> 63;
  time_ += delta;
}

// Sizes pass through a C int in the recorder: with bit 63 set the low 32 bits are meant.
void RecordReader::size(std::uint64_t& value) {
  value = in_.uleb();
  if ((value >> 63) != 0) value &= 0xffffffffU;
}

void RecordReader::code(std::uint32_t& value) {
  const std::uint64_t raw = code_value();
  if (raw > 0xffffffffU) return in_.fault(Code::value_unexpected);
  value = static_cast<std::uint32_t>(raw);
}

// Before version 14 the kinds were numbered from 1.
void RecordReader::helper_kind(event::CodeKind& kind) {
  enumeration(kind, code_value() - (file_.version < 14 ? 1 : 0));
}

// The kinds behind branch misses are not mlpd's.
void RecordReader::sample_mode(event::SampleMode& mode) {
  const std::uint64_t raw = code_value();
  if (raw > static_cast<std::uint64_t>(event::SampleMode::branch_misses))
    return in_.fault(Code::value_unexpected);
  enumeration(mode, raw);
}

// 0 catch, 1 filter, 2 finally; 3 is none, 4 is fault.
void RecordReader::clause_kind(event::ClauseKind& kind) {
  const std::uint64_t raw = code_value();
  if (raw == 3) return in_.fault(Code::value_unexpected);
  enumeration(kind, raw == 4 ? 3 : raw);
}

event::Stack RecordReader::backtrace() {
  const bool running = file_.version >= 13;
  flags();
  const std::uint64_t count = in_.uleb();
  if (!in_.fits(count, 1)) return {};
  auto& frames = batch_.frames;
  const auto first = static_cast<std::uint32_t>(frames.size());
  for (std::uint64_t i = 0; i < count; ++i) frames.push_back(running ? method() : pointer());
  return {first, static_cast<std::uint32_t>(count)};
}

// Offsets are told from the previous reference, the first from the object; version 1 has none.
event::Refs RecordReader::references() {
  const bool with_offset = file_.version >= 2;
  const std::uint64_t count = in_.uleb();
  if (!in_.fits(count, with_offset ? 2 : 1)) return {};
  auto& column = batch_.column<event::Ref>();
  const auto first = static_cast<std::uint32_t>(column.size());
  std::uint64_t offset = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (with_offset) offset += in_.uleb();
    event::append(column, {object(), offset});
  }
  return {first, static_cast<std::uint32_t>(count)};
}

template <class T, class... More>
[[gnu::always_inline]] inline void RecordReader::read_simple(T details, More... more) {
  Id id = base::kNoId;
  layout(*this, id, details, more...);
  add(id, details);
}

void RecordReader::read_alloc(std::uint8_t first) {
  read_simple(event::Alloc{}, first == kAllocStack);
}

void RecordReader::read_call(std::uint8_t first) {
  const Kind kind = first == kEnter ? Kind::Enter : first == kLeave ? Kind::Leave : Kind::Unwind;
  batch_.add_plain(time(), thread_, method(), kind);
}

void RecordReader::read_gc_event(std::uint8_t) { read_simple(event::Gc{}); }

void RecordReader::read_resize(std::uint8_t) { read_simple(event::HeapSize{}); }

void RecordReader::read_handle(std::uint8_t first) {
  const bool created = first == kHandleCreated || first == kHandleCreatedStack;
  event::Handle handle;
  handle.stage = created ? event::HandleStage::created : event::HandleStage::destroyed;
  read_simple(handle, first >= kHandleCreatedStack);
}

void RecordReader::read_finalize(std::uint8_t first) {
  read_simple(event::Finalize{static_cast<event::FinalizeStage>((first - kFinalizeStart) >> 4)});
}

void RecordReader::read_jit(std::uint8_t) { read_simple(event::Method{}); }

void RecordReader::read_throw(std::uint8_t first) {
  read_simple(event::Throw{}, first == kThrowStack);
}

void RecordReader::read_clause(std::uint8_t) { read_simple(event::Clause{}); }

void RecordReader::read_monitor(std::uint8_t first) {
  event::Monitor monitor;
  const unsigned stage = (first >> 4) & 3U;
  if (stage > 0) monitor.stage = static_cast<event::MonitorStage>(stage - 1);
  read_simple(monitor, (first & 0x80) != 0);
}

void RecordReader::read_dump(std::uint8_t first) {
  event::Dump dump;
  dump.stage = first == kHeapStart ? event::DumpStage::start : event::DumpStage::end;
  add(base::kNoId, dump);
}

void RecordReader::read_object(std::uint8_t) { read_simple(event::DumpObject{}); }

void RecordReader::read_region(std::uint8_t first) {
  event::RootRegion region;
  if (first == kRootUnregister) region.stage = event::RegionStage::unregistered;
  read_simple(region);
}

void RecordReader::read_symbol(std::uint8_t) { read_simple(event::NativeSymbol{}); }

void RecordReader::read_binary(std::uint8_t) { read_simple(event::NativeBinary{}); }

void RecordReader::read_helper(std::uint8_t) { read_simple(event::Code{}); }

void RecordReader::read_coverage(std::uint8_t first) {
  if (first == kCoverageAssembly) return read_simple(event::CoverageAssembly{});
  if (first == kCoverageMethod) return read_simple(event::CoverageMethod{});
  if (first == kCoverageStatement) return read_simple(event::CoverageStatement{});
  read_simple(event::CoverageClass{});
}

void RecordReader::read_sync(std::uint8_t) { read_simple(event::SyncPoint{}); }

void RecordReader::read_aot_id(std::uint8_t) { read_simple(event::Setting{.key = kAotIdKey}); }

void RecordReader::read_metadata(std::uint8_t first) {
  const bool failed = first == kMetadataLoadFailed;
  const Life life = first == kMetadataLoad || failed ? Life::begin
                    : first == kMetadataName         ? Life::name
                                                     : Life::end;
  const std::uint32_t status = failed ? 1 : 0;
  const bool can_unload = file_.version >= 11;
  const auto allow = [this](bool allowed) {
    if (!allowed) in_.fault(Code::value_unexpected);
  };
  switch (static_cast<Metadata>(in_.byte())) {
    case Metadata::class_type:
      allow(life == Life::begin || (life == Life::end && can_unload));
      return read_simple(event::Class{.life = life, .status = status});
    case Metadata::image:
      allow(life == Life::begin || (life == Life::end && can_unload));
      return read_simple(event::Module{.life = life, .status = status});
    case Metadata::assembly:
      allow(file_.version >= 11 && life != Life::name);
      return read_simple(event::Assembly{.life = life});
    case Metadata::domain:
      allow(file_.version >= 11);
      return read_simple(event::Domain{.life = life});
    case Metadata::thread:
      allow(life == Life::name || can_unload);
      return read_simple(event::Thread{.life = life});
    case Metadata::context:
      allow(file_.version >= 11 && life != Life::name);
      return read_simple(event::Context{.life = life});
    case Metadata::vtable:
      allow(file_.version >= 15 && life == Life::begin);
      return read_simple(event::Vtable{});
  }
  in_.fault(Code::value_unexpected);
}

}  // namespace polytrace::format::mlpd
