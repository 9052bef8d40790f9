// SPDX-License-Identifier: Apache-2.0
// The hot loop of the reader: runs of enters and leaves of at most eight bytes. The two numbers of
// a record come out of one 8-byte load, without a loop or an unpredictable branch. Longer records,
// other ones and the last bytes of a block are left to the general path.
#pragma once

#include <vector>

#include "base/io/digit_groups.hpp"
#include "event/spine.hpp"
#include "format/native/read/clock.hpp"

namespace polytrace::format::native {

// The methods entered and not yet left in a block: slots 1 to depth. The one before is none.
struct Frames {
  static constexpr base::Id kNone = base::kNoId;

  std::vector<base::Id> slots = std::vector<base::Id>(64, kNone);
  std::size_t depth = 0;

  void clear() { depth = 0; }
  void make_room(std::size_t more) {
    if (slots.size() <= depth + more) slots.resize(2 * (depth + more));
  }
  void push(base::Id method) {
    make_room(1);
    slots[++depth] = method;
  }
  void pop() {
    if (depth != 0) --depth;
  }
};

// The state of a run, in and out. `at` advances over the records that were decoded.
struct CallRun {
  const std::byte* at;
  const std::byte* end;  // of the block
  std::uint64_t tick;
  base::Id method;
  TickRange range;  // the run ends where a tick leaves it
  Frames& frames;
  std::uint16_t thread;
  // By form (wire.hpp's Call): count << 40 | bytes.
  std::uint64_t tally[4]{};
};

// Room that is needed to go on.
inline constexpr std::ptrdiff_t kCallsAtOnce = 8;

// Decodes calls to [out, full) until a record is not an ordinary call, the block is about to end or
// the room is less than kCallsAtOnce. Gives the end of what it wrote. Thread-safe.
// Both ways of getting at digits give the same.
event::Event* decode_calls(CallRun& run, event::Event* out, const event::Event* full,
                           base::DigitsBy by = base::fastest_digits());

}  // namespace polytrace::format::native
