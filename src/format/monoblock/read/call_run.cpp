// SPDX-License-Identifier: Apache-2.0
#include "format/monoblock/read/call_run.hpp"

#include <bit>

#include "event/call_heads.hpp"
#include "format/monoblock/layout/records.hpp"

namespace polytrace::format::monoblock {
namespace {

using event::Event;
using event::Kind;

constexpr std::size_t kWindow = base::kHighBitsAtOnce;
constexpr std::uint8_t kLastExit = 3;
constexpr base::Id kNoFrame = base::kNoId;  // no call of at most 8 bytes names it
constexpr std::size_t kBeyond = 9;          // bytes behind a window that its last event may touch

// Rows of kShapes.
enum Row : std::uint16_t { kOther, kDelta, kMethodAndDelta };

// How the first bytes of enters and of one form of exits are packed.
struct WithLastExits {
  static constexpr unsigned kShift = 2;
  static constexpr bool kExitsAreNamed = false;
  static constexpr Row row(unsigned first) {
    return first == kLastExit ? kDelta : (first & 3) == 0 ? kMethodAndDelta : kOther;
  }
};
struct WithNamedExits {
  static constexpr unsigned kShift = 2;
  static constexpr unsigned kExitBit = 0;
  static constexpr bool kExitsAreNamed = true;
  static constexpr Row row(unsigned first) { return (first & 2) == 0 ? kMethodAndDelta : kOther; }
};
struct Shipped {
  static constexpr unsigned kShift = 3;
  static constexpr unsigned kExitBit = 1;
  static constexpr bool kExitsAreNamed = true;
  static constexpr Row row(unsigned first) { return (first & 5) == 1 ? kMethodAndDelta : kOther; }
};

// Where kShapes has the row of each first byte.
template <class Packing>
constexpr auto kRows = [] {
  std::array<std::uint16_t, 256> rows{};
  for (unsigned first = 0; first < 256; ++first)
    rows[first] = static_cast<std::uint16_t>(Packing::row(first) << 8);
  return rows;
}();

// Where the numbers of an event lie in the 8 bytes behind its first one.
struct Shape {
  std::uint64_t method = 0;  // the digits of its upper bits
  std::uint64_t delta = 0;
  std::uint64_t bytes = 0;  // of the event; 0 where this is no call or a longer one
};

constexpr std::uint64_t digits(unsigned begin, unsigned end) {
  return begin == end ? 0 : base::kDigitBits >> (64 - (end - begin) * 8) << (begin * 8);
}

// By row and the high bits of those 8 bytes. A delta has seven bytes at most, so that sums of many
// do not go round.
constexpr auto kShapes = [] {
  std::array<Shape, 3 * 256> shapes{};
  for (unsigned stops = 1; stops < 256; ++stops) {
    const auto one = static_cast<unsigned>(std::countr_zero(stops)) + 1;
    if (one < 8) shapes[kDelta << 8 | stops] = {0, digits(0, one), 1 + one};
    const unsigned later = stops & (stops - 1);
    if (later == 0) continue;
    const auto both = static_cast<unsigned>(std::countr_zero(later)) + 1;
    shapes[kMethodAndDelta << 8 | stops] = {digits(0, one), digits(one, both), 1 + both};
  }
  return shapes;
}();

// Bytes of enters, and of exits above.
constexpr unsigned kExitBytes = 32;

// Whether an event enters or leaves decides no branch: nothing could guess it. Where the next event
// begins depends on the window's two masks alone: the processor need not wait for the bytes.
template <class Packing, class Way>
__attribute__((always_inline)) inline Event* decode(CallRun& run, Event* out, const Event* full) {
  // Locals: the compiler cannot know that the events do not overlap the run.
  const std::byte* at = run.at;
  const Event* const begin = out;
  std::uint64_t time = run.time;
  base::Id* top = run.top;
  std::uint64_t bytes = 0;
  const event::CallHeads heads({Kind::Enter, Kind::Leave}, run.thread);
  while (static_cast<std::size_t>(run.end - at) >= kWindow + kBeyond &&
         full - out >= kCallsAtOnce) {
    // From an event's first byte on. Bit i: byte i + 1 ends a number; byte i, if an event begins
    // with it, has two numbers behind it.
    std::uint64_t stops = base::high_bits(at) >> 1;
    std::uint64_t pairs =
        Packing::kExitsAreNamed ? ~std::uint64_t{0} : ~base::equal_bits(at, kLastExit);
    const std::byte* const window = at;
    for (int i = 0; i < kCallsAtOnce; ++i) {
      const auto first = static_cast<unsigned>(*at);
      const Shape& shape = kShapes[kRows<Packing>[first] + (stops & 0xff)];
      if (shape.bytes == 0) break;
      const auto word = base::load_le<std::uint64_t>(at + 1);
      const std::uint64_t pair = pairs & 1;
      std::uint64_t leaves = 1 - pair;
      if constexpr (Packing::kExitsAreNamed) leaves = first >> Packing::kExitBit & 1;
      const base::Id told = first >> Packing::kShift | Way::number(word, shape.method)
                                                           << (8 - Packing::kShift);
      *top = told;
      const base::Id method = *(top - leaves);
      if (Packing::kExitsAreNamed ? told != method : method == kNoFrame) break;
      time += Way::number(word, shape.delta);
      top += 1 - 2 * static_cast<std::ptrdiff_t>(leaves);
      out->time = static_cast<base::Time>(time);
      out->id = method;
      heads.write(*out++, leaves);
      bytes += shape.bytes << (leaves * kExitBytes);
      // Shifted by two first: that is done before the last byte is known.
      const auto last = std::countr_zero(stops & (stops - pair));
      stops = stops >> 2 >> last;
      pairs = pairs >> 2 >> last;
      at += last + 2;
    }
    if (at == window) break;
  }
  const auto calls = static_cast<std::uint64_t>(out - begin);
  const std::uint64_t exits = (calls - static_cast<std::uint64_t>(top - run.top)) / 2;
  run.tally.forms[0].add(calls - exits, bytes & ((std::uint64_t{1} << kExitBytes) - 1));
  run.tally.forms[Packing::kExitsAreNamed ? 1 : 2].add(exits, bytes >> kExitBytes);
  run.at = at;
  run.time = time;
  run.top = top;
  return out;
}

// Writers tend to use one form of exits: each run goes as far as it can.
template <class Way>
__attribute__((always_inline)) inline Event* decode_by(CallRun& run, Event* out, const Event* full,
                                                       bool shipped) {
  if (shipped) return decode<Shipped, Way>(run, out, full);
  for (const Event* before = nullptr; out != before;) {
    before = out;
    out = decode<WithLastExits, Way>(run, out, full);
    out = decode<WithNamedExits, Way>(run, out, full);
  }
  return out;
}

}  // namespace

void CallTally::add_to(event::Tally& tally) const {
  constexpr std::array kRecords{static_cast<std::size_t>(Record::enter),
                                static_cast<std::size_t>(Record::leave), std::size_t{kFirstEvent}};
  for (std::size_t form = 0; form < forms.size(); ++form) {
    tally.records[kRecords[form]].count += forms[form].count;
    tally.records[kRecords[form]].bytes += forms[form].bytes;
  }
}

Event* decode_calls(CallRun& run, Event* out, const Event* full, bool shipped, base::DigitsBy by) {
  return base::with_digits(by, [&](auto way) __attribute__((always_inline)) {
    return decode_by<decltype(way)>(run, out, full, shipped);
  });
}

}  // namespace polytrace::format::monoblock
