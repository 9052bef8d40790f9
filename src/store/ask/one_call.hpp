// SPDX-License-Identifier: Apache-2.0
// One call by its number, with its callers; and the next or the previous call of some methods.
#pragma once

#include <optional>
#include <vector>

#include "store/ask/calls/open_calls.hpp"
#include "store/ask/calls/range.hpp"
#include "store/ask/method_blocks.hpp"

namespace polytrace::store {

struct Call {
  std::uint32_t thread;  // index
  SliceId call;
  std::uint32_t path;
  std::uint32_t method;  // index
  base::Time start;
  base::Time end;
  EndKind how;
  std::vector<OpenCall> callers;  // outermost first
};

// One that no leave ended lasts to its thread's last event. Errors: those of frames;
// value_unexpected where there is no such call.
base::result<Call> find_call(const CallFrames& frames, SliceId call);

enum class Direction : std::uint8_t { next, previous };
// Of the calls that begin in the range the first or the last one, in order of start, thread,
// number; nothing where there is none. Errors: those of frames; limit_exceeded when asked to stop.
base::result<std::optional<Call>> seek(const CallFrames& frames, const MethodSet& methods,
                                       const Range& range, Direction direction);

// A call that a block left open: its duration and how it ended. REQUIRES: `start` is its own.
struct LateEnd {
  std::uint64_t duration;
  EndKind how;
};
LateEnd end_of(const CallFrames& frames, std::uint32_t thread, std::span<const CallEnd> ends,
               SliceId call, base::Time start);

}  // namespace polytrace::store
