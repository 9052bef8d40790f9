// SPDX-License-Identifier: Apache-2.0
#include "format/mlpd/records/record_reader.hpp"

#include <array>
#include <bit>

#include "event/call_heads.hpp"

namespace polytrace::format::mlpd {
namespace {

using event::Kind;

constexpr std::uint64_t kDigits = base::kDigitBits;
constexpr std::size_t kBlock = base::kHighBitsAtOnce;  // whose stop bits are gathered at once
constexpr std::size_t kBeyond = 9;   // bytes behind a block that its last record may touch
constexpr std::size_t kLongest = 9;  // bytes of a record that is decoded here
static_assert((kCallsAtOnce - 1) * kLongest < kBlock, "all of them begin in the block");

// Bit i: byte i has no high bit, so it ends a number or is a first byte.
std::uint64_t stop_bits(const std::byte* at) { return ~base::high_bits(at); }

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
  const event::CallHeads heads({Kind::Leave, Kind::Enter, Kind::Unwind}, run.thread);
  std::uint64_t tally[4]{};
  while (static_cast<std::size_t>(run.end - at) >= kBlock + kBeyond && full - out >= kCallsAtOnce) {
    std::uint64_t stops = stop_bits(at);
    const std::uint64_t behind = stops >> 1;
    std::size_t begin = 0;  // of a record: where the one before ends
#pragma GCC unroll 8
    for (int i = 0; i < kCallsAtOnce; ++i) {
      const unsigned kind = call_kind(at[begin]);
      const Shape& shape = kShapes[(behind >> begin) & 0xff];
      if (kind > 2 || shape.tally == 0) break;
      const auto word = base::load_le<std::uint64_t>(at + begin + 1);
      time += Way::number(word, shape.time);
      method += (Way::number(word, shape.method) ^ shape.sign) - shape.sign;
      out->time = static_cast<base::Time>(time);
      out->id = method;
      heads.write(*out++, kind);
      tally[kind] += shape.tally;
      stops = Way::without_lowest(stops);  // the first byte
      stops = Way::without_lowest(stops);  // the last one of the time
      begin = static_cast<std::size_t>(std::countr_zero(stops)) + 1;
      stops = Way::without_lowest(stops);
    }
    if (begin == 0) break;
    at += begin;
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

event::Event* decode_calls(CallRun& run, event::Event* out, const event::Event* full,
                           base::DigitsBy by) {
  return base::with_digits(by, [&](auto way) __attribute__((always_inline)) {
    return decode<decltype(way)>(run, out, full);
  });
}

}  // namespace polytrace::format::mlpd
