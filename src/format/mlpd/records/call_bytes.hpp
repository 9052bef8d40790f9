// SPDX-License-Identifier: Apache-2.0
// The hot loop of the reader: runs of ENTER, LEAVE and EXC_LEAVE records, nine in ten of a call
// recording. A record is a first byte, a time (uleb) and a method (sleb); both numbers come out of
// one 8-byte load, without a loop or an unpredictable branch. Longer records and the last ones of a
// buffer are left to the general path.
#pragma once

#include <bit>
#include <cstdint>

#include "base/io/digit_groups.hpp"
#include "base/types.hpp"
#include "event/spine.hpp"

namespace polytrace::format::mlpd {

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

}  // namespace polytrace::format::mlpd
