// SPDX-License-Identifier: Apache-2.0
// Reading of records that hold many events or lists whose shape changed over the versions.
#include <algorithm>
#include <bit>

#include "base/codes.hpp"
#include "format/mlpd/records/first_byte.hpp"
#include "format/mlpd/records/record_reader.hpp"

namespace polytrace::format::mlpd {

using base::Code;
using base::Id;

// Old and new address in turn.
void RecordReader::read_moves(std::uint8_t) {
  const std::uint64_t count = in_.uleb();
  if (!in_.fits(count, 1)) return;
  for (std::uint64_t i = 0; i + 1 < count; i += 2) {
    const Id from = object();
    add(from, event::Move{object()});
  }
  if (count % 2 == 0 || !in_.ok()) return;
  const std::uint64_t at = in_.offset();
  object();
  if (in_.ok()) batch_.notices.add(Code::list_odd, {.offset = at}, 0);
}

void RecordReader::read_roots(std::uint8_t) {
  if (file_.version < 15) return read_root_before_15();
  const std::uint64_t count = in_.uleb();
  if (!in_.fits(count, 2)) return;
  for (std::uint64_t i = 0; i < count; ++i) {
    event::Root root;
    root.address = pointer();
    add(object(), root);
  }
}

// In version 14 what holds the root is a bit, before it a number: events have the number.
std::uint32_t RecordReader::root_type(std::uint64_t raw) const {
  const auto flags = static_cast<std::uint32_t>(raw);
  const std::uint32_t holder = flags & 0xff;
  if (file_.version < 14 || !std::has_single_bit(holder)) return flags;
  return (flags & ~0xffU) | static_cast<std::uint32_t>(std::countr_zero(holder));
}

void RecordReader::read_root_before_15() {
  const std::uint64_t count = in_.uleb();
  const std::uint64_t collection = in_.uleb();
  if (!in_.fits(count, 3)) return;
  for (std::uint64_t i = 0; i < count; ++i) {
    event::Root root;
    if (collection != 0) root.collection = collection;
    const Id id = object();
    root.flags = file_.version == 13 ? in_.byte() : root_type(in_.uleb());
    root.extra = in_.uleb();
    add(id, root);
  }
}

void RecordReader::read_hit(std::uint8_t) {
  event::Sample sample;
  Id thread = base::kNoId;
  if (file_.version < 14) sample_mode(sample.mode);
  // A time of its own, which the next record's time is not told from.
  const std::uint64_t at = file_.version < 13 ? in_.uleb() : time_;
  if (file_.version >= 11) thread = pointer();
  read_sample_frames(sample);
  add_at(at, thread, sample);
}

// Frames stand innermost first in the file, outermost first in an event.
void RecordReader::read_sample_frames(event::Sample& sample) {
  auto& frames = batch_.frames;
  const std::uint64_t natives = in_.uleb();
  if (!in_.fits(natives, 1)) return;
  sample.natives = {
      {static_cast<std::uint32_t>(frames.size()), static_cast<std::uint32_t>(natives)}};
  for (std::uint64_t i = 0; i < natives; ++i) frames.push_back(pointer());
  std::reverse(frames.end() - static_cast<std::ptrdiff_t>(natives), frames.end());
  if (file_.version < 6) return;

  const bool with_places = file_.version < 13;
  const std::uint64_t count = in_.uleb();
  if (!in_.fits(count, with_places ? 3 : 1)) return;
  auto& places = batch_.column<event::FramePlace>();
  sample.stack.first = static_cast<std::uint32_t>(frames.size());
  sample.stack.count = static_cast<std::uint32_t>(count);
  if (with_places) sample.stack.places = static_cast<std::uint32_t>(places.size());
  for (std::uint64_t i = 0; i < count; ++i) {
    frames.push_back(method());
    if (!with_places) continue;
    const std::int64_t il = in_.sleb();
    places.push_back({il, in_.sleb()});
  }
  std::reverse(frames.end() - static_cast<std::ptrdiff_t>(count), frames.end());
  if (with_places) std::reverse(places.end() - static_cast<std::ptrdiff_t>(count), places.end());
}

// A byte in versions 13 and 14, where what stands in the high bits was cut off.
template <class E>
void RecordReader::counter_code(E& value, unsigned shift) {
  const bool cut = file_.version == 13 || file_.version == 14;
  const std::uint64_t raw = (cut ? in_.byte() : in_.uleb()) & 0xffffffffU;
  enumeration(value, raw >> shift);
}

void RecordReader::read_counter_defs(std::uint8_t) {
  constexpr std::size_t kLeastBytes = 6;
  const std::uint64_t count = in_.uleb();
  if (!in_.fits(count, kLeastBytes)) return;
  for (std::uint64_t i = 0; i < count && in_.ok(); ++i) {
    event::CounterDef counter;
    counter.section = static_cast<std::uint32_t>(in_.uleb());
    if (counter.section == kPerformanceSection) text(counter.section_name);
    text(counter.name);
    counter_code(counter.type, 0);
    counter_code(counter.unit, 24);
    counter.variance = counter_variance();
    add(in_.uleb(), counter);
  }
}

event::CounterVariance RecordReader::counter_variance() {
  using event::CounterVariance;
  const bool cut = file_.version == 13 || file_.version == 14;
  switch (((cut ? in_.byte() : in_.uleb()) & 0xffffffffU) >> 28) {
    case 1: return CounterVariance::monotonic;
    case 2: return CounterVariance::constant;
    case 4: return CounterVariance::variable;
    default: return CounterVariance::unknown;
  }
}

void RecordReader::read_counters(std::uint8_t) {
  constexpr std::uint64_t kMillisecond = 1'000'000;
  const std::uint64_t at =
      file_.version < 13 ? file_.start_time + in_.uleb() * kMillisecond : time_;
  const bool byte_type = file_.version == 13 || file_.version == 14;
  while (const std::uint64_t index = in_.uleb()) {
    event::CounterValue value;
    enumeration(value.type, byte_type ? in_.byte() : in_.uleb());
    counter_value(value);
    if (!in_.ok()) return;
    add_at(at, index, value);
  }
}

// Numbers are differences to the previous value of the counter; CounterSums makes them absolute.
void RecordReader::counter_value(event::CounterValue& value) {
  using event::CounterType;
  switch (value.type) {
    case CounterType::uint32:
    case CounterType::uint64: value.number = static_cast<std::int64_t>(in_.uleb()); return;
    case CounterType::real: value.real = in_.fixed<double>(); return;
    case CounterType::string:
      if (in_.byte() != 0) text(value.text);
      return;
    default: value.number = in_.sleb();
  }
}

}  // namespace polytrace::format::mlpd
