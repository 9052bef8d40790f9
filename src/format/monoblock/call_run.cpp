// SPDX-License-Identifier: Apache-2.0
#include "format/monoblock/call_run.hpp"

#include <bit>

#include "base/cursor.hpp"
#include "format/monoblock/records.hpp"

namespace polytrace::format::monoblock {
namespace {

using event::Event;
using event::Kind;

constexpr std::uint64_t kHighBits = 0x8080808080808080U;
constexpr std::uint64_t kOneEvent = std::uint64_t{1} << 40;

// How the first byte of a call is packed.
struct ReviewPacking {
  static constexpr unsigned kMask = 3;
  static constexpr unsigned kEnter = 0;
  static constexpr unsigned kExit = 1;
  static constexpr unsigned kShift = 2;
  static constexpr unsigned kLastExit = 3;  // the whole byte
};
struct ShippedPacking {
  static constexpr unsigned kMask = 7;
  static constexpr unsigned kEnter = 1;
  static constexpr unsigned kExit = 3;
  static constexpr unsigned kShift = 3;
  static constexpr unsigned kLastExit = 0x100;  // none
};

// The digits of at most seven bytes, squeezed together; the high bits are clear.
std::uint64_t squeeze(std::uint64_t digits) {
  digits = (digits & 0x007f007f007f007fU) | (digits & 0x7f007f007f007f00U) >> 1;
  digits = (digits & 0x00003fff00003fffU) | (digits & 0x3fff00003fff0000U) >> 2;
  return (digits & 0x0fffffffU) | (digits & 0x0fffffff00000000U) >> 4;
}

// The bits up to and including the lowest set one.
std::uint64_t up_to_lowest(std::uint64_t bits) { return bits ^ (bits - 1); }

// The two numbers behind the first byte of an enter or exit.
struct CallFields {
  std::uint64_t high = 0;  // bits of the method
  std::uint64_t delta = 0;
  std::uint64_t bytes = 0;  // of the event; 0 when it is longer than one load
};

[[gnu::always_inline]] inline CallFields call_fields(std::uint64_t word, std::uint64_t stops) {
  constexpr std::uint64_t kShort = 0x808000U;
  if ((word & kShort) == kShort) return {word >> 8 & 0x7f, word >> 16 & 0x7f, 3};
  const std::uint64_t later = stops & (stops - 1);
  if (later == 0) [[unlikely]]
    return {};
  const std::uint64_t front = up_to_lowest(stops);
  const std::uint64_t both = up_to_lowest(later);
  const auto front_bits = static_cast<unsigned>(std::countr_zero(stops)) + 1;
  return {squeeze((word & front & ~kHighBits) >> 8),
          squeeze((word & both & ~front & ~kHighBits) >> front_bits),
          static_cast<unsigned>(std::countr_zero(later)) / 8 + 1};
}

template <class Packing>
Event* decode(CallRun& run, Event* out, const Event* full) {
  constexpr std::ptrdiff_t kLoad = sizeof(std::uint64_t);
  if (run.end - run.at < kLoad) return out;
  const std::byte* const last = run.end - kLoad;
  // Locals: the compiler cannot know that the events do not overlap the run.
  const std::byte* at = run.at;
  std::uint64_t time = run.time;
  base::Id* top = run.top;
  CallTally tally = run.tally;
  for (; at <= last && out != full; ++out) {
    const auto word = base::load_le<std::uint64_t>(at);
    const auto first = static_cast<unsigned>(word & 0xff);
    const unsigned kind = first & Packing::kMask;
    const std::uint64_t stops = (word & ~std::uint64_t{0xff}) & kHighBits;
    if (kind == Packing::kEnter || kind == Packing::kExit) {
      const CallFields fields = call_fields(word, stops);
      const bool enter = kind == Packing::kEnter;
      const base::Id method = first >> Packing::kShift | fields.high << (8 - Packing::kShift);
      if (fields.bytes == 0) [[unlikely]]
        break;
      if (enter) *top++ = method;
      else if (top[-1] == method) --top;
      else if (top != run.bottom) [[unlikely]] break;
      time += fields.delta;
      tally.sums[enter ? 0 : 1] += kOneEvent + fields.bytes;
      *out = {static_cast<base::Time>(time),     method, event::kAbsent, run.thread,
              enter ? Kind::Enter : Kind::Leave, 0};
      at += fields.bytes;
    } else if (first == Packing::kLastExit && stops != 0 && top != run.bottom) {
      time += squeeze((word & up_to_lowest(stops) & ~kHighBits) >> 8);
      const std::uint64_t bytes = static_cast<unsigned>(std::countr_zero(stops)) / 8 + 1;
      tally.sums[3] += kOneEvent + bytes;
      *out = {static_cast<base::Time>(time), *--top, event::kAbsent, run.thread, Kind::Leave, 0};
      at += bytes;
    } else {
      break;
    }
  }
  run.at = at;
  run.time = time;
  run.top = top;
  run.tally = tally;
  return out;
}

}  // namespace

void CallTally::add_to(event::Tally& tally) const {
  const auto add = [&](std::uint64_t sum, std::size_t record) {
    tally.records[record].count += sum >> 40;
    tally.records[record].bytes += sum & (kOneEvent - 1);
  };
  add(sums[0], static_cast<std::size_t>(Record::enter));
  add(sums[1], static_cast<std::size_t>(Record::leave));
  add(sums[3], kFirstEvent);
}

Event* decode_calls(CallRun& run, Event* out, const Event* full) {
  return decode<ReviewPacking>(run, out, full);
}

Event* decode_shipped_calls(CallRun& run, Event* out, const Event* full) {
  return decode<ShippedPacking>(run, out, full);
}

}  // namespace polytrace::format::monoblock
