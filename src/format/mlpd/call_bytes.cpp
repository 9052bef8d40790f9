// SPDX-License-Identifier: Apache-2.0
#include "format/mlpd/call_bytes.hpp"

#include <bit>

#include "base/cursor.hpp"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace polytrace::format::mlpd {
namespace {

using event::Kind;

constexpr std::size_t kLoaded = 9;  // bytes looked at per record, whatever its length
constexpr std::uint64_t kStopBits = 0x8080808080808080U;
constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
constexpr unsigned kHalf = 32;

// What the 8 bytes behind the first one say about where the numbers end.
struct Shape {
  std::uint64_t word;
  std::uint64_t stops;  // bit 7 of each byte that ends a number
  std::uint64_t later;  // the same without the first
  unsigned first;

  explicit Shape(const std::byte* at)
      : word(base::load_le<std::uint64_t>(at + 1)),
        stops(~word & kStopBits),
        later(stops & (stops - 1)),
        first(static_cast<unsigned>(*at)) {}

  bool is_call() const {
    constexpr unsigned kCallType = 3;
    return later != 0 && (first & 0x0f) == kCallType && (first >> 4) - 1 < 3;
  }
  // Counted in bits of the word. kTop spares the processor the case of none.
  unsigned time_end() const { return static_cast<unsigned>(std::countr_zero(stops | kTop)) + 1; }
  unsigned method_end() const { return static_cast<unsigned>(std::countr_zero(later | kTop)) + 1; }
};

struct Numbers {
  std::uint64_t time;
  std::uint64_t method;  // signed, as a wrapping addend
};

std::uint64_t sign_extend(std::uint64_t value, unsigned bits) {
  const unsigned unused = 64 - bits;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
}

// Both numbers at once, one in each half of a word, for numbers of at most four bytes.
struct ByShifts {
  static bool fits(const Shape& shape) {
    const unsigned time_end = shape.time_end();
    return time_end <= kHalf && shape.method_end() - time_end <= kHalf;
  }
  static Numbers numbers(const Shape& shape) {
    const unsigned time_end = shape.time_end();
    const std::uint64_t time_bits = shape.stops ^ (shape.stops - 1);
    const std::uint64_t method_bits = (shape.later ^ (shape.later - 1)) & ~time_bits;
    std::uint64_t groups = (shape.word & time_bits) | (shape.word & method_bits) >> time_end
                                                                                        << kHalf;
    groups = (groups & 0x007f007f007f007fU) | (groups & 0x7f007f007f007f00U) >> 1;
    groups = (groups & 0x00003fff00003fffU) | (groups & 0x3fff00003fff0000U) >> 2;
    const unsigned bits = (shape.method_end() - time_end) / 8 * 7;
    return {groups & 0x0fffffffU, sign_extend(groups >> kHalf, bits)};
  }
};

#ifdef __x86_64__
// The processor's own instruction for this.
struct ByBitExtract {
  static bool fits(const Shape&) { return true; }
  __attribute__((target("bmi2"))) static inline Numbers numbers(const Shape& shape) {
    const std::uint64_t time_bits = shape.stops ^ (shape.stops - 1);
    const std::uint64_t method_bits = (shape.later ^ (shape.later - 1)) & ~time_bits;
    const unsigned bits = (shape.method_end() - shape.time_end()) / 8 * 7;
    return {_pext_u64(shape.word, time_bits & ~kStopBits),
            sign_extend(_pext_u64(shape.word, method_bits & ~kStopBits), bits)};
  }
};
#endif

template <class Way>
__attribute__((always_inline)) inline event::Event* decode(CallRun& run, event::Event* out,
                                                           const event::Event* full) {
  static constexpr Kind kKinds[4]{Kind::Leave, Kind::Leave, Kind::Enter, Kind::Unwind};
  // Locals: the compiler cannot know that the events do not overlap the run.
  const std::byte* at = run.at;
  std::uint64_t time = run.time;
  std::uint64_t method = run.method;
  const std::uint64_t id_mask = run.id_mask;
  const std::uint16_t thread = run.thread;
  std::uint64_t tally[4]{};
  if (static_cast<std::size_t>(run.end - at) >= kLoaded) {
    const std::byte* last = run.end - kLoaded;
    while (at <= last && out != full) {
      const Shape shape(at);
      if (!shape.is_call() || !Way::fits(shape)) break;
      const Numbers numbers = Way::numbers(shape);
      time += numbers.time;
      method += numbers.method;
      const unsigned kind = shape.first >> 4;
      *out++ = {
          static_cast<base::Time>(time), method & id_mask, event::kAbsent, thread, kKinds[kind], 0};
      const unsigned bytes = 1 + shape.method_end() / 8;
      tally[kind] += (std::uint64_t{1} << 40) | bytes;
      at += bytes;
    }
  }
  run.at = at;
  run.time = time;
  run.method = method;
  for (unsigned kind = 1; kind < 4; ++kind) run.tally[kind] += tally[kind];
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
