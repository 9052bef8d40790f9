// SPDX-License-Identifier: Apache-2.0
// Decodes the records of one buffer: the reading side of layout.hpp. Holds the state that lives as
// long as a buffer (time, running method, bases); nothing carries over to the next buffer.
#pragma once

#include <bit>
#include <cstdint>

#include "base/codes.hpp"
#include "base/io/cursor.hpp"
#include "base/io/digit_groups.hpp"
#include "event/batch.hpp"
#include "format/mlpd/records/header.hpp"

namespace polytrace::format::mlpd {

// --- runs of calls ---

// The hot loop of the reader: runs of ENTER, LEAVE and EXC_LEAVE records, nine in ten of a call
// recording. A record is a first byte, a time (uleb) and a method (sleb); both numbers come out of
// one 8-byte load, without a loop or an unpredictable branch. Longer records and the last ones of a
// buffer are left to the general path.

// The state of a run, in and out. `at` advances over the records that were decoded.
struct CallRun {
  const std::byte* at;
  const std::byte* end;  // of the buffer
  std::uint64_t time;
  std::uint64_t method;
  std::uint64_t id_mask;
  std::uint16_t thread;
  // By exinfo >> 4 (1 leave, 2 enter, 3 left by an exception): count << 40 | bytes.
  std::uint64_t tally[4];
};

// 0, 1, 2 for the first bytes of calls: 0x13, 0x23, 0x33. Anything else is larger.
inline unsigned call_kind(std::byte first) {
  constexpr unsigned kFirstCall = 0x13;
  return std::rotr(static_cast<std::uint8_t>(static_cast<unsigned>(first) - kFirstCall), 4);
}
inline bool is_call(std::byte first) { return call_kind(first) < 3; }

// Room that is needed to go on.
inline constexpr std::ptrdiff_t kCallsAtOnce = 8;

// Decodes calls to [out, full) until a record is not an ordinary call, the buffer is about to end
// or the room is less than kCallsAtOnce. Gives the end of what it wrote. Thread-safe.
// Both ways of getting at digits give the same.
event::Event* decode_calls(CallRun& run, event::Event* out, const event::Event* full,
                           base::DigitsBy by = base::fastest_digits());

// --- all records ---

// What all buffers of a file share.
struct FileState {
  unsigned version = kLastVersion;
  std::uint64_t id_mask = ~std::uint64_t{0};
  std::uint64_t start_time = 0;  // for counters of versions 5 to 12, which count from it
};

class RecordReader {
 public:
  RecordReader(const FileState& file, const BufferHeader& buffer, base::Cursor& in,
               event::Batch& batch);

  // Decodes records until the buffer ends or one is damaged; events of a damaged record are taken
  // back. The cursor's fault tells which it was.
  void read_all();

  // --- the field types of layout.hpp, reading ---
  unsigned version() const { return file_.version; }
  void uleb(std::uint64_t& value) { value = in_.uleb(); }
  void uleb(event::HandleKind& value) { enumeration(value, in_.uleb()); }
  void size(std::uint64_t& value);
  void byte(std::uint32_t& value) { value = in_.byte(); }
  template <class E>
  void byte(E& value) {
    enumeration(value, in_.byte());
  }
  void code(std::uint32_t& value);
  template <class E>
  void code(E& value) {
    enumeration(value, code_value());
  }
  void monitor_stage(event::MonitorStage& stage) { enumeration(stage, in_.byte() - 1U); }
  void helper_kind(event::CodeKind& kind);
  void clause_kind(event::ClauseKind& kind);
  [[gnu::always_inline]] void pointer(base::Id& id) { id = pointer(); }
  void plain_pointer(base::Id& id) { id = static_cast<base::Id>(in_.sleb()) & file_.id_mask; }
  [[gnu::always_inline]] void object(base::Id& id) { id = object(); }
  [[gnu::always_inline]] void method(base::Id& id) { id = method(); }
  void text(event::Text& text) { text = batch_.keep(in_.zero_terminated()); }
  void flags() {
    if (file_.version < 13 && in_.uleb() != 0) in_.fault(base::Code::value_unexpected);
  }
  void backtrace(event::Stack& stack) { stack = backtrace(); }
  void references(event::Refs& refs) { refs = references(); }

  // --- whole records, by first byte (records.cpp has the table) ---
  void read_alloc(std::uint8_t first);
  void read_call(std::uint8_t first);
  void read_gc_event(std::uint8_t first);
  void read_resize(std::uint8_t first);
  void read_moves(std::uint8_t first);
  void read_handle(std::uint8_t first);
  void read_finalize(std::uint8_t first);
  void read_metadata(std::uint8_t first);
  void read_jit(std::uint8_t first);
  void read_throw(std::uint8_t first);
  void read_clause(std::uint8_t first);
  void read_monitor(std::uint8_t first);
  void read_dump(std::uint8_t first);
  void read_object(std::uint8_t first);
  void read_roots(std::uint8_t first);
  void read_region(std::uint8_t first);
  void read_hit(std::uint8_t first);
  void read_symbol(std::uint8_t first);
  void read_binary(std::uint8_t first);
  void read_counter_defs(std::uint8_t first);
  void read_counters(std::uint8_t first);
  void read_helper(std::uint8_t first);
  void read_coverage(std::uint8_t first);
  void read_sync(std::uint8_t first);
  void read_aot_id(std::uint8_t first);

 private:
  event::Stack backtrace();
  event::Refs references();
  void read_calls();
  void add_to_tally(const std::uint64_t (&calls)[4]);
  void read_record();
  void read_time();

  std::uint64_t code_value() { return file_.version < 13 ? in_.uleb() : in_.byte(); }
  [[gnu::always_inline]] base::Id pointer() {
    return (buffer_.pointer_base + static_cast<std::uint64_t>(in_.sleb())) & file_.id_mask;
  }
  [[gnu::always_inline]] base::Id object() {
    return ((buffer_.object_base + static_cast<std::uint64_t>(in_.sleb())) << 3) & file_.id_mask;
  }
  [[gnu::always_inline]] base::Id method() {
    method_ += static_cast<std::uint64_t>(in_.sleb());
    return method_ & file_.id_mask;
  }
  template <class E>
  void enumeration(E& value, std::uint64_t raw) {
    if (raw >= event::names(value).size()) return in_.fault(base::Code::value_unexpected);
    value = static_cast<E>(raw);
  }
  base::Time time() const { return static_cast<base::Time>(time_); }

  template <class T>
  void add(base::Id id, const T& details) {
    add_at(time_, id, details);
  }
  template <class T>
  void add_at(std::uint64_t at, base::Id id, const T& details) {
    batch_.add(static_cast<base::Time>(at), thread_, id, details);
  }
  // A record that is one event with the fields of layout.hpp.
  template <class T, class... More>
  void read_simple(T details, More... more);

  void read_sample_frames(event::Sample& sample);
  void read_root_before_15();
  std::uint32_t root_type(std::uint64_t raw) const;
  void sample_mode(event::SampleMode& mode);
  void counter_value(event::CounterValue& value);
  event::CounterVariance counter_variance();
  template <class E>
  void counter_code(E& value, unsigned shift);

  const FileState& file_;
  const BufferHeader& buffer_;
  base::Cursor& in_;
  event::Batch& batch_;
  std::uint64_t time_;
  std::uint64_t method_;
  std::uint16_t thread_;
};

}  // namespace polytrace::format::mlpd
