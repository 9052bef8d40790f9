// SPDX-License-Identifier: Apache-2.0
#include "format/native/read/block_reader.hpp"

#include <fmt/format.h>

#include "base/codes.hpp"
#include "format/native/wire/record_encoder.hpp"

namespace polytrace::format::native {

using base::Code;
using base::Cursor;
using base::Id;
using event::Kind;

// --- blocks ---

void BlockReader::read(const BlockHeader& header, base::Bytes payload, std::uint64_t offset) {
  header_ = &header;
  block_ = offset;
  counted_ = offset + sizeof header;
  ++batch_.tally.frames;
  batch_.tally.frame_bytes += sizeof header;
  Cursor in(payload, counted_);
  switch (header.content) {
    case Content::events: read_events(in); break;
    case Content::clock: read_clock(in); break;
    case Content::sites: read_sites(in); break;
    case Content::end: break;
    default:
      return tell(Code::code_unknown, offset, payload.size(),
                  fmt::format("content {}", static_cast<unsigned>(header.content)));
  }
  const std::uint64_t left = offset + sizeof header + payload.size() - counted_;
  if (!in.ok()) return tell(in.fault_code(), in.fault_offset(), left);
  if (left != 0) tell(Code::block_longer, counted_, left);
}

void BlockReader::read_clock(Cursor& in) {
  read_line(in);
  if (in.ok()) tally(in, Tallied::clock);
}

void BlockReader::read_sites(Cursor& in) {
  const std::uint64_t count = in.uleb();
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    read_site(in);
    if (in.ok()) tally(in, Tallied::site);
  }
  if (in.ok() && count == 0) {
    batch_.tally.frame_bytes += in.offset() - counted_;
    counted_ = in.offset();
  }
}

void BlockReader::begin(std::uint64_t first_tick, Id thread) {
  tick_ = first_tick;
  method_ = 0;
  thread_ = batch_.thread_slot(thread);
  threads_ = 0;
  skipped_ = 0;
  frames_.clear();
}

void BlockReader::read_events(Cursor& in) {
  const std::size_t before = batch_.events.size();
  begin(header_->first_tick, header_->thread);
  while (!in.done()) {
    if ((static_cast<unsigned>(*in.at()) & 3) != 0) read_calls(in);
    if (!in.done()) read_record(in);
  }
  tell(unknown_kinds_, Code::code_unknown);
  tell(longer_bodies_, Code::block_longer);
  tell(clamped_, Code::number_clamped);
  tell(unknown_values_, Code::value_unknown);
  tell(unknown_sites_, Code::reference_undefined);
  const std::uint64_t events = batch_.events.size() - before + skipped_;
  if (in.ok() && events != header_->events)
    tell(Code::events_differ, block_, 0, fmt::format("{} instead of {}", events, header_->events));
}

// --- records ---

void BlockReader::read_calls(Cursor& in) {
  constexpr std::size_t kRoom = 4096;
  clock_.time(tick_);
  CallRun run{in.at(), in.end(), tick_, method_, clock_.range(), frames_, thread_};
  std::array<std::uint32_t, 3> before{};
  for (bool full = true; full;) {
    event::Event* const out = batch_.events.room(kRoom);
    const event::Event* const end = decode_calls(run, out, out + kRoom);
    const std::array<std::uint32_t, 3> now{
        static_cast<std::uint32_t>(run.tally[1] >> 40),
        static_cast<std::uint32_t>((run.tally[2] + run.tally[3]) >> 40), 0};
    if (end != out) batch_.events.grew_by_calls(end, {now[0] - before[0], now[1] - before[1], 0});
    before = now;
    full = out + kRoom - end < kCallsAtOnce;
  }
  counted_ += static_cast<std::uint64_t>(run.at - in.at());
  in.move_to(run.at);
  tick_ = run.tick;
  method_ = run.method;
  for (unsigned form = 1; form < 4; ++form) {
    auto& records = batch_.tally.records[form];
    records.count += run.tally[form] >> 40;
    records.bytes += run.tally[form] & ((std::uint64_t{1} << 40) - 1);
  }
}

void BlockReader::read_record(Cursor& in) {
  const std::byte* const at = in.at();
  const auto first = static_cast<unsigned>(in.byte());
  const auto record = static_cast<Record>(first >> 2);
  if ((first & 3) != 0) return read_call(in, first);
  if (record >= Record::event && record <= Record::alloc_array) return read_other(in, record);
  in.move_to(at);
  in.fault(Code::record_unknown);
}

void BlockReader::read_call(Cursor& in, unsigned first) {
  constexpr unsigned kMore = 0x80;
  tick_ += first >> 2 & kCallTickMask;
  if ((first & kMore) != 0) tick_ += in.uleb() << kCallTickBits;
  const auto form = static_cast<Call>(first & 3);
  if (form == Call::leave_last) return leave_innermost(in, Kind::Leave);
  method_ += take_zig(in);
  if (!in.ok()) return;
  const Kind kind = form == Call::enter ? Kind::Enter : Kind::Leave;
  add_call(kind, method_);
  follow(kind, method_);
  tally(in, form == Call::enter ? Tallied::enter : Tallied::leave);
}

void BlockReader::leave_innermost(Cursor& in, Kind kind) {
  if (frames_.depth == 0) in.fault(Code::value_unexpected);
  if (!in.ok()) return;
  add_call(kind, frames_.slots[frames_.depth]);
  frames_.pop();
  tally(in, kind == Kind::Leave ? Tallied::leave_last : Tallied::unwind_last);
}

void BlockReader::read_other(Cursor& in, Record record) {
  switch (record) {
    case Record::event: return read_event(in);
    case Record::thread: return read_thread(in);
    case Record::jump:
      tick_ += take_zig(in);
      if (in.ok()) tally(in, Tallied::jump);
      return;
    case Record::unwind_last:
    case Record::unwind: return read_unwind(in, record == Record::unwind_last);
    case Record::alloc:
    case Record::alloc_array: return read_alloc(in, record == Record::alloc_array);
  }
}

void BlockReader::read_thread(Cursor& in) {
  const Id thread = take_id(in);
  if (++threads_ > RecordEncoder::kMostThreads) in.fault(Code::value_unexpected);
  if (!in.ok()) return;
  thread_ = batch_.thread_slot(thread);
  frames_.clear();
  tally(in, Tallied::thread);
}

void BlockReader::read_unwind(Cursor& in, bool last) {
  tick_ += in.uleb();
  if (last) return leave_innermost(in, Kind::Unwind);
  method_ += take_zig(in);
  if (!in.ok()) return;
  add_call(Kind::Unwind, method_);
  frames_.pop();
  tally(in, Tallied::unwind);
}

// What a call told by a body does to those that are not.
void BlockReader::follow(Kind kind, Id method) {
  if (!event::is_call(kind)) return;
  if (method != base::kNoId) method_ = method;
  if (kind == Kind::Enter) frames_.push(method);
  else frames_.pop();
}

// --- events with a body ---

void BlockReader::read_event(Cursor& in) {
  tick_ += take_zig(in);
  const base::Bytes bytes = in.bytes(in.uleb());
  if (!in.ok()) return;
  Cursor body(bytes, in.offset() - bytes.size());
  const BodyHead head = read_body_head(body);
  const std::uint8_t kind = head.number < kNumbers ? kKindOfNumber[head.number] : kNoKind;
  if (!body.ok() || kind != kNoKind) {
    read_body_of(static_cast<Kind>(kind), body, head);
    if (body.ok()) return tally(in, static_cast<std::uint8_t>(kFirstBody + head.number));
    tell(body.fault_code(), body.fault_offset(), in.offset() - counted_, "in a body");
  } else {
    if (unknown_kinds_.count == 0)
      unknown_kinds_.detail = fmt::format("event of kind {}", head.number);
    meet(unknown_kinds_, counted_, in.offset() - counted_);
  }
  ++skipped_;
  counted_ = in.offset();
}

void BlockReader::read_body_of(Kind kind, Cursor& body, const BodyHead& head) {
  if (!body.ok()) return;
  const BodyOddities odd = read_body(body, head, kind, clock_.time(tick_), thread_, batch_);
  if (!body.ok()) return;
  follow(kind, head.subject);
  if (odd.unknown_bytes != 0) {
    meet(longer_bodies_, body.offset(), odd.unknown_bytes);
    counted_ += odd.unknown_bytes;
  }
  if (odd.clamped != 0) meet(clamped_, counted_);
  if (odd.unknown_values != 0) meet(unknown_values_, counted_);
}

// --- allocations at sites ---

void BlockReader::read_alloc(Cursor& in, bool array) {
  tick_ += in.uleb();
  const std::uint64_t number = in.uleb();
  const std::uint64_t length = array ? in.uleb() : 0;
  if (!in.ok()) return;
  const auto site = context_.sites.find(number);
  event::Alloc alloc;
  Id class_id = base::kNoId;
  if (site) {
    class_id = site->class_id;
    alloc.size = bytes_at(*site, length);
    alloc.array = site->element_size != 0 ? 1 : 0;
    alloc.stack = stack_of(*site);
  } else {
    if (unknown_sites_.count == 0) unknown_sites_.detail = fmt::format("site {}", number);
    meet(unknown_sites_, counted_);
  }
  batch_.add(clock_.time(tick_), thread_, class_id, alloc);
  tally(in, array ? Tallied::alloc_array : Tallied::alloc);
}

event::Stack BlockReader::stack_of(const Site& site) {
  event::Stack stack;
  if (site.method == base::kNoId) return stack;
  auto& places = batch_.column<event::FramePlace>();
  stack.first = static_cast<std::uint32_t>(batch_.frames.size());
  stack.count = 1;
  stack.places = static_cast<std::uint32_t>(places.size());
  batch_.frames.push_back(site.method);
  places.push_back({site.byte_code, site.line, 0});
  return stack;
}

// --- accounts ---

void BlockReader::tally(const Cursor& in, std::uint8_t number) {
  auto& records = batch_.tally.records[number];
  ++records.count;
  records.bytes += in.offset() - counted_;
  counted_ = in.offset();
}

void BlockReader::meet(Odd& odd, std::uint64_t offset, std::uint64_t bytes) {
  if (odd.count++ == 0) odd.offset = offset;
  odd.bytes += bytes;
}

void BlockReader::tell(Odd& odd, Code code) {
  if (odd.count == 0) return;
  batch_.notices.add({.code = code,
                      .count = odd.count,
                      .bytes = odd.bytes,
                      .first = place(odd.offset),
                      .detail = std::move(odd.detail)});
  odd = {};
}

void BlockReader::tell(Code code, std::uint64_t offset, std::uint64_t bytes, std::string detail) {
  batch_.notices.add(code, place(offset), bytes, std::move(detail));
}

base::Place BlockReader::place(std::uint64_t offset) const {
  return {.offset = offset, .frame = fmt::format("block {} at {:#x}", header_->index, block_)};
}

}  // namespace polytrace::format::native
