// SPDX-License-Identifier: Apache-2.0
// The stack of a thread at a moment, with the true starts of its calls: the block of the moment is
// found by its times, callers from before it by links, a block each.
#pragma once

#include <vector>

#include "store/read/call_frames.hpp"

namespace polytrace::store {

struct OpenCall {
  SliceId call;
  std::uint32_t path;
  std::uint32_t method;
  base::Time start;
};

// Outermost first. `at`: calls that begin there are open, calls that end there are not.
base::result<std::vector<OpenCall>> open_calls(const CallFrames& frames, std::uint32_t thread,
                                               base::Time at);
// What is open when the thread gets to that time: before all that happened then.
base::result<std::vector<OpenCall>> open_calls_before(const CallFrames& frames,
                                                      std::uint32_t thread, base::Time at);
// What is open behind all events of a block, which is told by its place.
base::result<std::vector<OpenCall>> open_calls_behind(const CallFrames& frames,
                                                      std::uint32_t thread, std::uint32_t place);
// A call, last, and its callers. Errors: value_unexpected where there is no such call.
base::result<std::vector<OpenCall>> open_calls_with(const CallFrames& frames, SliceId call);

}  // namespace polytrace::store
