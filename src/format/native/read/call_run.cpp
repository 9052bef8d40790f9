// SPDX-License-Identifier: Apache-2.0
#include "format/native/read/call_run.hpp"

#include <array>
#include <bit>

#include "event/call_heads.hpp"
#include "format/native/wire/byte_output.hpp"

namespace polytrace::format::native {
namespace {

using event::Event;
using event::Kind;

constexpr std::size_t kWindow = base::kHighBitsAtOnce;

// Where the numbers of a record lie in the 8 bytes from its first one on.
struct Shape {
  std::uint64_t ticks = 0;   // their digits behind the first byte
  std::uint64_t method = 0;  // its digits
  std::uint64_t tally = 0;   // one record of so many bytes, as CallRun::tally adds them up
};

constexpr std::uint64_t digits(unsigned begin, unsigned end) {
  return begin == end ? 0 : base::kDigitBits >> (64 - (end - begin) * 8) << (begin * 8);
}

// By whether a method is named (bit 8) and which of those 8 bytes end a number; all 0 where the
// record is longer.
constexpr auto kShapes = [] {
  std::array<Shape, 512> shapes{};
  for (unsigned stops = 1; stops < 256; ++stops) {
    const auto one = static_cast<unsigned>(std::countr_zero(stops)) + 1;
    shapes[stops] = {digits(1, one), 0, std::uint64_t{1} << 40 | one};
    const unsigned later = stops & (stops - 1);
    if (later == 0) continue;
    const auto both = static_cast<unsigned>(std::countr_zero(later)) + 1;
    shapes[256 | stops] = {digits(1, one), digits(one, both), std::uint64_t{1} << 40 | both};
  }
  return shapes;
}();

// Bit i: byte i has its lowest bit. REQUIRES: kWindow bytes.
std::uint64_t low_bits(const std::byte* at) {
  std::uint64_t low = 0;
#ifdef __SSE2__
#pragma GCC unroll 4
  for (unsigned i = 0; i < kWindow; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + i));
    const int bits = _mm_movemask_epi8(_mm_slli_epi16(bytes, 7));
    low |= std::uint64_t{static_cast<std::uint16_t>(bits)} << i;
  }
#else
  constexpr std::uint64_t kGather = 0x0102040810204080U;  // moves bit 0 of byte i to bit 56 + i
  for (unsigned i = 0; i < kWindow; i += 8) {
    const std::uint64_t word = base::load_le<std::uint64_t>(at + i) & 0x0101010101010101U;
    low |= ((word * kGather) >> 56) << i;
  }
#endif
  return low;
}

// Where the next record begins depends on the window's two masks alone: the processor need not wait
// for the bytes. Whether an event enters or leaves decides no branch, as nothing could guess it.
template <class Way>
__attribute__((always_inline)) inline Event* decode(CallRun& run, Event* out, const Event* full) {
  // Locals: the compiler cannot know that the events do not overlap the run.
  const std::byte* at = run.at;
  const TickRange range = run.range;
  std::uint64_t ticks = run.tick - range.tick0;
  base::Id method = run.method;
  std::size_t depth = run.frames.depth;
  const event::CallHeads heads({Kind::Enter, Kind::Enter, Kind::Leave, Kind::Leave}, run.thread);
  std::uint64_t tally[4]{};
  while (static_cast<std::size_t>(run.end - at) >= kWindow && full - out >= kCallsAtOnce) {
    run.frames.depth = depth;
    run.frames.make_room(kCallsAtOnce + 1);
    base::Id* top = run.frames.slots.data() + depth;
    // From a record's first byte on: which bytes end a number, which first bytes name a method.
    std::uint64_t stops = ~base::high_bits(at);
    std::uint64_t names = low_bits(at);
    const std::byte* const window = at;
    for (int i = 0; i < kCallsAtOnce; ++i) {
      const auto word = base::load_le<std::uint64_t>(at);
      const std::uint64_t named = names & 1;
      const std::uint64_t form = word & 3;
      const Shape& shape = kShapes[named << 8 | (stops & 0xff)];
      if (form == 0 || shape.tally == 0) break;
      const std::uint64_t later =
          ticks + ((word >> 2 & kCallTickMask) | Way::number(word, shape.ticks) << kCallTickBits);
      const base::Id told = method + unzig(Way::number(word, shape.method));
      const auto leaves = static_cast<std::ptrdiff_t>(form >> 1);
      top[1] = told;
      const base::Id frame = top[1 - leaves];  // what is opened or closed
      if (later >= range.ticks || frame == Frames::kNone) break;
      ticks = later;
      method = told;
      top += 1 - 2 * leaves;
      out->time = range.time_after(ticks);
      out->id = frame ^ ((frame ^ told) & (0 - named));
      heads.write(*out++, form);
      tally[form] += shape.tally;
      // The lowest stop, or the two lowest.
      const auto last = std::countr_zero(stops & (stops - named));
      stops = stops >> 1 >> last;
      names = names >> 1 >> last;
      at += last + 1;
    }
    depth = static_cast<std::size_t>(top - run.frames.slots.data());
    if (at == window) break;
  }
  run.at = at;
  run.tick = range.tick0 + ticks;
  run.method = method;
  run.frames.depth = depth;
  for (unsigned form = 1; form < 4; ++form) run.tally[form] += tally[form];
  return out;
}

}  // namespace

event::Event* decode_calls(CallRun& run, event::Event* out, const event::Event* full,
                           base::DigitsBy by) {
  return base::with_digits(by, [&](auto way) __attribute__((always_inline)) {
    return decode<decltype(way)>(run, out, full);
  });
}

}  // namespace polytrace::format::native
