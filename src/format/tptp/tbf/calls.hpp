// SPDX-License-Identifier: Apache-2.0
// The direct way from bytes to events for runs of plain method calls, which are nine messages in
// ten. Gives what MessageDecoder and EventMaker would give.
#pragma once

#include "event/batch.hpp"
#include "format/tptp/tbf/seen_chunk.hpp"
#include "format/tptp/tbf/stream_state.hpp"

namespace polytrace::format::tptp {

// Decodes methodEntry and methodExit without texts from the front of `rest`, up to the first other
// message, which is shown to the follower. Gives the bytes taken.
// REQUIRES: allows_plain_calls(state).
std::size_t decode_plain_calls(base::Bytes rest, StreamState& state, event::Batch& batch,
                               CallFollower& follower);
// Only their bytes; how many there are is added to `frames`.
std::size_t pass_plain_calls(base::Bytes rest, StreamState& state, std::uint64_t& frames);

}  // namespace polytrace::format::tptp
