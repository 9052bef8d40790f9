// SPDX-License-Identifier: Apache-2.0
// The hot loop of the reader: runs of method enters and exits, nine in ten of a call recording.
// Both numbers of an event come out of one 8-byte load. Longer events, those of other kinds, exits
// that do not match the innermost frame and the last bytes of a block are left to the general path.
#pragma once

#include <array>
#include <cstdint>

#include "base/types.hpp"
#include "event/spine.hpp"
#include "event/tally.hpp"

namespace polytrace::format::monoblock {

// Events and their bytes: enters, exits, LAST_METHOD_EXITED.
struct CallTally {
  std::array<std::uint64_t, 4> sums{};  // by the 2 low bits of the first byte: count << 40 | bytes

  std::array<std::uint32_t, 2> counts() const {
    return {static_cast<std::uint32_t>(sums[0] >> 40),
            static_cast<std::uint32_t>((sums[1] >> 40) + (sums[3] >> 40))};
  }
  void add_to(event::Tally& tally) const;
};

// The state of a run, in and out. `at` advances over the events that were decoded.
struct CallRun {
  const std::byte* at;
  const std::byte* end;  // of the block
  std::uint64_t time;
  std::uint16_t thread;
  base::Id* top;     // one past the innermost frame, with room for what is decoded
  base::Id* bottom;  // where the outermost stands; before it there is one more slot
  CallTally tally;
};

// Decodes calls to [out, full), at most as many as fit. Gives the end of what it wrote. Thread-safe
// for different runs.
event::Event* decode_calls(CallRun& run, event::Event* out, const event::Event* full);
event::Event* decode_shipped_calls(CallRun& run, event::Event* out, const event::Event* full);

}  // namespace polytrace::format::monoblock
