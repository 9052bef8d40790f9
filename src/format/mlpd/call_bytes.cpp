// SPDX-License-Identifier: Apache-2.0
#include "format/mlpd/call_bytes.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#include "base/cursor.hpp"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace polytrace::format::mlpd {
namespace {

using event::Kind;

constexpr std::uint64_t kDigits = 0x7f7f7f7f7f7f7f7fU;
constexpr std::size_t kBlock = 64;  // bytes whose stop bits are gathered at once
constexpr std::size_t kBeyond = 9;  // bytes behind a block that its last record may touch

// Bit i: byte i has no high bit, so it ends a number or is a first byte.
std::uint64_t stop_bits(const std::byte* at) {
  std::uint64_t high = 0;
#ifdef __SSE2__
#pragma GCC unroll 4
  for (unsigned i = 0; i < kBlock; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + i));
    high |= std::uint64_t{static_cast<std::uint16_t>(_mm_movemask_epi8(bytes))} << i;
  }
#else
  constexpr std::uint64_t kGather = 0x0002040810204081U;  // moves bit 7 of byte i to bit 56 + i
  for (unsigned i = 0; i < kBlock; i += 8) {
    const std::uint64_t word = base::load_le<std::uint64_t>(at + i) & ~kDigits;
    high |= ((word * kGather) >> 56) << i;
  }
#endif
  return ~high;
}

// Where the two numbers of a record lie in the 8 bytes behind the first one.
struct Shape {
  std::uint64_t time = 0;  // their digits
  std::uint64_t method = 0;
  std::uint64_t sign = 0;   // the highest bit of the method's value
  std::uint64_t tally = 0;  // one record of so many bytes, as CallRun::tally adds them up
  std::size_t bytes() const { return static_cast<std::uint8_t>(tally); }  // of the record
};

// By the stop bits of those 8 bytes; all 0 where the record is longer.
constexpr auto kShapes = [] {
  std::array<Shape, 256> shapes{};
  for (unsigned stops = 0; stops < 256; ++stops) {
    const unsigned later = stops & (stops - 1);
    if (later == 0) continue;
    const auto time_bytes = static_cast<unsigned>(std::countr_zero(stops)) + 1;
    const auto both_bytes = static_cast<unsigned>(std::countr_zero(later)) + 1;
    const unsigned method_bytes = both_bytes - time_bytes;
    shapes[stops] = {
        kDigits >> (64 - time_bytes * 8), kDigits >> (64 - method_bytes * 8) << (time_bytes * 8),
        std::uint64_t{1} << (method_bytes * 7 - 1), std::uint64_t{1} << 40 | (1 + both_bytes)};
  }
  return shapes;
}();

// What an Event holds behind its time and id, by exinfo >> 4, less one.
struct Heads {
  std::uint64_t of[4]{};

  explicit Heads(std::uint16_t thread) {
    constexpr Kind kKinds[]{Kind::Leave, Kind::Enter, Kind::Unwind};
    for (unsigned i = 0; i < 3; ++i) {
      const event::Event event{0, 0, event::kAbsent, thread, kKinds[i], 0};
      std::memcpy(&of[i], bytes_of(event), sizeof of[i]);
    }
  }
  static const std::byte* bytes_of(const event::Event& event) {
    return reinterpret_cast<const std::byte*>(&event) + offsetof(event::Event, detail);
  }
  static std::byte* bytes_of(event::Event& event) {
    return reinterpret_cast<std::byte*>(&event) + offsetof(event::Event, detail);
  }
};
static_assert(sizeof(event::Event) == offsetof(event::Event, detail) + sizeof(std::uint64_t));

// The digits of a number, squeezed together.
struct ByShifts {
  static std::uint64_t number(std::uint64_t word, std::uint64_t digits) {
    std::uint64_t groups = (word & digits) >> std::countr_zero(digits);
    groups = (groups & 0x007f007f007f007fU) | (groups & 0x7f007f007f007f00U) >> 1;
    groups = (groups & 0x00003fff00003fffU) | (groups & 0x3fff00003fff0000U) >> 2;
    return (groups & 0x0fffffffU) | (groups & 0x0fffffff00000000U) >> 4;
  }
};

#ifdef __x86_64__
// The processor's own instruction for this.
struct ByBitExtract {
  __attribute__((target("bmi2"))) static inline std::uint64_t number(std::uint64_t word,
                                                                     std::uint64_t digits) {
    return _pext_u64(word, digits);
  }
};
#endif

// The stop bits of a block are found at once and used up three per record, so that where a record
// begins never waits for a load, and always for the same number of records, which spares the
// processor a guess per block.
template <class Way>
__attribute__((always_inline)) inline event::Event* decode(CallRun& run, event::Event* out,
                                                           const event::Event* full) {
  // Locals: the compiler cannot know that the events do not overlap the run.
  const std::byte* at = run.at;
  std::uint64_t time = run.time;
  std::uint64_t method = run.method;
  event::Event* const first = out;
  const Heads heads(run.thread);
  std::uint64_t tally[4]{};
  while (static_cast<std::size_t>(run.end - at) >= kBlock + kBeyond && full - out >= kCallsAtOnce) {
    std::uint64_t stops = stop_bits(at);
    const std::uint64_t behind = stops >> 1;
    std::size_t end = 0;  // of the record before
#pragma GCC unroll 8
    for (int i = 0; i < kCallsAtOnce; ++i) {
      const auto begin = static_cast<std::size_t>(std::countr_zero(stops));
      if (begin != end) break;
      const unsigned kind = call_kind(at[begin]);
      const Shape& shape = kShapes[(behind >> begin) & 0xff];
      if (kind > 2 || shape.tally == 0) break;
      const auto word = base::load_le<std::uint64_t>(at + begin + 1);
      time += Way::number(word, shape.time);
      method += (Way::number(word, shape.method) ^ shape.sign) - shape.sign;
      out->time = static_cast<base::Time>(time);
      out->id = method;
      std::memcpy(Heads::bytes_of(*out++), &heads.of[kind], sizeof heads.of[kind]);
      tally[kind] += shape.tally;
      end = begin + shape.bytes();
      for (int number = 0; number < 3; ++number) stops &= stops - 1;
    }
    if (end == 0) break;
    at += end;
  }
  run.at = at;
  run.time = time;
  run.method = method;
  for (unsigned kind = 0; kind < 3; ++kind) run.tally[kind + 1] += tally[kind];
  if (run.id_mask != ~std::uint64_t{0}) {
    for (event::Event* event = first; event != out; ++event) event->id &= run.id_mask;
  }
  return out;
}

}  // namespace

event::Event* decode_calls_portable(CallRun& run, event::Event* out, const event::Event* full) {
  return decode<ByShifts>(run, out, full);
}

#ifdef __x86_64__
__attribute__((target("bmi,bmi2"))) event::Event* decode_calls_bit_extract(
    CallRun& run, event::Event* out, const event::Event* full) {
  return decode<ByBitExtract>(run, out, full);
}

// AMD's processors of family 17h have the instruction, but slower than what it replaces.
bool has_fast_bit_extract() {
  return __builtin_cpu_supports("bmi2") != 0 && __builtin_cpu_is("amdfam17h") == 0;
}

#else
event::Event* decode_calls_bit_extract(CallRun& run, event::Event* out, const event::Event* full) {
  return decode_calls_portable(run, out, full);
}
bool has_fast_bit_extract() { return false; }
#endif

event::Event* decode_calls(CallRun& run, event::Event* out, const event::Event* full) {
  static const auto kWay =
      has_fast_bit_extract() ? decode_calls_bit_extract : decode_calls_portable;
  return kWay(run, out, full);
}

}  // namespace polytrace::format::mlpd
