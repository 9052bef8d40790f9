// SPDX-License-Identifier: Apache-2.0
// The hot loop of the reader: runs of method enters and exits, nine in ten of a call recording.
// Where events end is found for 64 bytes at once, their numbers come out of one 8-byte load
// (docs/decisions/0004-two-ways-to-decode-a-call.md). Longer events, those of other kinds, exits
// that do not match the innermost frame and the last bytes of a block are left to the general path.
#pragma once

#include <array>
#include <cstdint>

#include "base/io/digit_groups.hpp"
#include "base/types.hpp"
#include "event/spine.hpp"
#include "event/tally.hpp"

namespace polytrace::format::monoblock {

// Enters, exits, LAST_METHOD_EXITED.
struct CallTally {
  struct Form {
    std::uint32_t count = 0;
    std::uint64_t bytes = 0;
    void add(std::uint64_t more, std::uint64_t more_bytes) {
      count += static_cast<std::uint32_t>(more);
      bytes += more_bytes;
    }
  };
  std::array<Form, 3> forms{};

  std::array<std::uint32_t, 2> counts() const {
    return {forms[0].count, forms[1].count + forms[2].count};
  }
  void add_to(event::Tally& tally) const;
};

// The state of a run, in and out. `at` advances over the events that were decoded.
struct CallRun {
  const std::byte* at;
  const std::byte* end;  // of the block
  std::uint64_t time;
  std::uint16_t thread;
  // One past the innermost frame, with room for what is decoded and one more. The slot before the
  // outermost frame holds kNoId.
  base::Id* top;
  CallTally tally;
};

// Room that is needed to go on.
inline constexpr std::ptrdiff_t kCallsAtOnce = 8;

// Decodes calls to [out, full) until an event is not an ordinary call, the block is about to end or
// the room is less than kCallsAtOnce. Gives the end of what it wrote. Thread-safe for different
// runs. `shipped`: as the shipped variants pack the first byte.
event::Event* decode_calls(CallRun& run, event::Event* out, const event::Event* full, bool shipped,
                           base::DigitsBy by = base::fastest_digits());

}  // namespace polytrace::format::monoblock
